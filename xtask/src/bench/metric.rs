//! Rendering of figures with their units.

/// Renders a figure. Its name ends in its unit.
pub(crate) fn show(name: &str, value: f64) -> String {
    match name.rsplit('_').next() {
        Some("us") => time(value),
        Some("ms") => time(value * 1e3),
        Some("kib") if value.abs() >= 1024.0 => format!("{} MiB", digits(value / 1024.0)),
        Some("kib") => format!("{} KiB", digits(value)),
        Some("second") => format!("{}/s", thousands(value)),
        _ => thousands(value),
    }
}

/// Renders how many times the floor's value it is.
pub(crate) fn ratio(value: f64, floor: Option<f64>) -> String {
    match floor {
        Some(floor) if floor > 0.0 && value / floor < 0.1 => format!("{:.4}×", value / floor),
        Some(floor) if floor > 0.0 => format!("{}×", digits(value / floor)),
        _ => String::new(),
    }
}

/// Renders the range of a rate: `120,000–340,000`.
pub(crate) fn range(slowest: f64, fastest: f64) -> String {
    format!("{}–{}", thousands(slowest), thousands(fastest))
}

fn time(microseconds: f64) -> String {
    if microseconds >= 1e6 {
        format!("{} s", digits(microseconds / 1e6))
    } else if microseconds >= 1e3 {
        format!("{} ms", digits(microseconds / 1e3))
    } else {
        format!("{} µs", digits(microseconds))
    }
}

fn digits(value: f64) -> String {
    if value.abs() >= 100.0 {
        thousands(value)
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < -0.5 {
        format!("-{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_is_the_last_part_of_the_name() {
        assert_eq!(show("p50_us", 14.04), "14.0 µs");
        assert_eq!(show("p50_us", 1_120.0), "1.12 ms");
        assert_eq!(show("stream_ms", 2_800.0), "2.80 s");
        assert_eq!(show("connected_kib", 6_144.0), "6.00 MiB");
        assert_eq!(show("growth_kib", 12.0), "12.0 KiB");
        assert_eq!(show("per_second", 127_345.2), "127,345/s");
        assert_eq!(show("instructions", 52_900.0), "52,900");
        assert_eq!(show("growth_kib", -120.0), "-120 KiB");
    }

    #[test]
    fn ratio_is_to_the_floor() {
        assert_eq!(ratio(30.0, Some(20.0)), "1.50×");
        assert_eq!(ratio(1.0, Some(2_000.0)), "0.0005×");
        assert_eq!(ratio(30.0, None), "");
    }

    #[test]
    fn range_has_both_ends() {
        assert_eq!(range(1_234.0, 56_789.0), "1,234–56,789");
    }
}
