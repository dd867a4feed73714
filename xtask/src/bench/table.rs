//! The figures on a terminal.

use std::fmt::Write as _;

use super::figures::Figures;
use super::metric::{ratio, show};
use super::{host, scenario};

/// What is told of a scenario, as far as it was measured.
const METRICS: [(&str, &str); 12] = [
    ("p50_us", "p50"),
    ("p99_us", "p99"),
    ("per_second", "rate"),
    ("stream_ms", "until read"),
    ("backlog_ms", "call behind it"),
    ("unread_kib", "held unread"),
    ("host_cpu_us", "host CPU each"),
    ("started_ms", "query to start"),
    ("first_line_ms", "to first line"),
    ("first_call_ms", "to first call"),
    ("connected_kib", "connected"),
    ("growth_kib", "growth"),
];

/// What every trial has, and is told of these only.
const STARTING: [&str; 4] = [
    "started_ms",
    "first_line_ms",
    "first_call_ms",
    "connected_kib",
];

pub(crate) fn render(figures: &Figures) -> String {
    let mut text = String::new();
    for scenario in scenario::all(false) {
        for cores in [1, 2] {
            render_scenario(&mut text, figures, &scenario, cores);
        }
    }
    for (title, rows) in [
        ("in process", &figures.in_process),
        ("scale", &figures.scale),
    ] {
        for (name, values) in rows {
            let values = values.iter().map(|(metric, value)| {
                format!("{} {}", metric.replace('_', " "), show(metric, *value))
            });
            let values: Vec<String> = values.collect();
            let _ = writeln!(text, "{title}, {name}: {}", values.join(", "));
        }
    }
    text
}

fn render_scenario(
    text: &mut String,
    figures: &Figures,
    scenario: &scenario::Scenario,
    cores: usize,
) {
    let starts = ["connect", "servers"].contains(&scenario.name);
    let metrics: Vec<_> = METRICS
        .iter()
        .filter(|(metric, _)| STARTING.contains(metric) == starts)
        .filter(|(metric, _)| {
            let mut hosts = figures.hosts().into_iter();
            hosts.any(|host| figures.value(scenario.name, cores, host, metric).is_some())
        })
        .collect();
    if metrics.is_empty() {
        return;
    }
    let place = if cores == 1 { "one core" } else { "two cores" };
    let _ = write!(text, "{:<32}", format!("{}, {place}", scenario.title));
    for (_, title) in &metrics {
        let _ = write!(text, "{title:>22}");
    }
    text.push('\n');
    for host in figures.hosts() {
        let value = |host, metric| figures.value(scenario.name, cores, host, metric);
        if metrics
            .iter()
            .all(|(metric, _)| value(host, metric).is_none())
        {
            continue;
        }
        let _ = write!(text, "  {:<30}", host::title(host));
        for (metric, _) in &metrics {
            let cell = value(host, metric).map_or_else(
                || "–".to_owned(),
                |own| {
                    format!(
                        "{} {:>7}",
                        show(metric, own),
                        ratio(own, value("floor", metric))
                    )
                },
            );
            let _ = write!(text, "{cell:>22}");
        }
        text.push('\n');
    }
    text.push('\n');
}
