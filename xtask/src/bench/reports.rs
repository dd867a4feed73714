//! The reports of host and generator about one trial, and the figures that follow from them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

type Report = BTreeMap<String, f64>;

/// Returns the figures of a trial. Each name ends in its unit.
pub(crate) fn combine(generator: &Path, host: &Path) -> Result<Report> {
    combined(&read(generator)?, &read(host)?)
}

fn combined(generator: &Report, host: &Report) -> Result<Report> {
    let value = |report: &Report, name: &str| report.get(name).copied();
    let mut figures = Report::new();
    for name in [
        "p50_us",
        "p99_us",
        "per_second",
        "host_cpu_us",
        "connected_kib",
        "late_kib",
        "cold_us",
        "steady",
        "warm_kib",
        "warm_up_ms",
        "warm_up_operations",
    ] {
        figures.extend(value(generator, name).map(|figure| (name.to_owned(), figure)));
    }
    for name in ["idle_kib", "peak_kib"] {
        figures.extend(value(host, name).map(|figure| (name.to_owned(), figure)));
    }
    let mut derive = |name: &str, figure: Option<f64>| {
        figures.extend(figure.map(|figure| (name.to_owned(), figure)));
    };
    let query = value(host, "query_ns");
    for (name, event) in [
        ("started_ms", "cli_started_ns"),
        ("first_line_ms", "first_line_ns"),
        ("first_call_ms", "first_call_ns"),
    ] {
        let event = value(generator, event);
        derive(
            name,
            event.zip(query).map(|(event, query)| (event - query) / 1e6),
        );
    }
    let difference = |from: (&Report, &str), to: (&Report, &str)| {
        Some(value(to.0, to.1)? - value(from.0, from.1)?)
    };
    derive(
        "growth_kib",
        difference((generator, "early_kib"), (generator, "late_kib")),
    );
    derive(
        "unread_kib",
        difference((generator, "before_kib"), (generator, "unread_kib")),
    );
    derive(
        "backlog_ms",
        value(generator, "backlog_ns").map(|ns| ns / 1e6),
    );
    if let Some(messages) = value(generator, "messages") {
        if value(host, "text_bytes") != value(generator, "text_bytes") {
            bail!("the host has not read every message");
        }
        let time = difference((generator, "stream_begin_ns"), (host, "last_message_ns"));
        derive("stream_ms", time.map(|ns| ns / 1e6));
        let cpu = difference(
            (generator, "stream_begin_cpu_us"),
            (host, "last_message_cpu_us"),
        );
        derive("host_cpu_us", cpu.map(|cpu| cpu / messages));
    }
    Ok(figures)
}

fn read(path: &Path) -> Result<Report> {
    let text = std::fs::read_to_string(path).context("no report was written")?;
    // The generator writes the reason of a failure in place of the report.
    serde_json::from_str(&text).map_err(|_| anyhow!(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(figures: &[(&str, f64)]) -> Report {
        let figures = figures.iter();
        figures
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect()
    }

    #[test]
    fn times_start_at_the_query() {
        let generator = report(&[("cli_started_ns", 3e6), ("first_call_ns", 5e6)]);
        let figures = combined(&generator, &report(&[("query_ns", 2e6)])).unwrap();
        assert_eq!(figures["started_ms"], 1.0);
        assert_eq!(figures["first_call_ms"], 3.0);
    }

    #[test]
    fn stream_ends_when_the_host_has_read_it() {
        let generator = report(&[
            ("messages", 10.0),
            ("text_bytes", 70.0),
            ("stream_begin_ns", 1e6),
            ("stream_begin_cpu_us", 100.0),
        ]);
        let mut host = report(&[
            ("text_bytes", 70.0),
            ("last_message_ns", 4e6),
            ("last_message_cpu_us", 150.0),
        ]);
        let figures = combined(&generator, &host).unwrap();
        assert_eq!((figures["stream_ms"], figures["host_cpu_us"]), (3.0, 5.0));
        host.insert("text_bytes".to_owned(), 69.0);
        assert!(combined(&generator, &host).is_err());
    }
}
