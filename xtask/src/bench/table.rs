//! The figures as tables, for a terminal and for Markdown.

use std::fmt::Write as _;

use super::figures::{Figures, RATE_RANGE};
use super::metric::{range, ratio, show};
use super::{host, scenario};

/// The columns, as far as they were measured.
const METRICS: [(&str, &str); 15] = [
    ("p50_us", "p50"),
    ("p99_us", "p99"),
    ("per_second", "rate"),
    ("stream_ms", "until read"),
    ("backlog_ms", "call behind it"),
    ("unread_kib", "held unread"),
    ("host_cpu_us", "host CPU each"),
    ("cold_us", "first 2,000, mean"),
    ("warm_kib", "memory, warm"),
    (WARM_UP, "warm-up"),
    ("started_ms", "query to start"),
    ("first_line_ms", "to first line"),
    ("first_call_ms", "to first call"),
    ("connected_kib", "connected"),
    ("growth_kib", "growth"),
];

/// The warm-up has its number of operations beside it, and no ratio.
const WARM_UP: &str = "warm_up_ms";

/// Every trial has these; they are shown for the scenarios about starting only.
const STARTING: [&str; 4] = [
    "started_ms",
    "first_line_ms",
    "first_call_ms",
    "connected_kib",
];

/// The table of one scenario.
pub(crate) struct Section {
    title: String,
    columns: Vec<&'static str>,
    /// The title of each host and its cells.
    rows: Vec<(String, Vec<String>)>,
}

/// Renders all figures for a terminal.
pub(crate) fn render(figures: &Figures) -> String {
    let mut text = String::new();
    for section in sections(figures) {
        section.write_plain(&mut text);
    }
    for (title, rows) in [
        ("in process", &figures.in_process),
        ("scale", &figures.scale),
        ("sessions", &figures.sessions),
        ("fleet", &figures.fleet),
    ] {
        for (name, values) in rows {
            let values = values.iter();
            let values = values.map(|(metric, value)| {
                format!("{} {}", metric.replace('_', " "), show(metric, *value))
            });
            let _ = writeln!(
                text,
                "{title}, {name}: {}",
                values.collect::<Vec<_>>().join(", ")
            );
        }
    }
    text
}

/// Returns a section for every scenario that was measured.
pub(crate) fn sections(figures: &Figures) -> Vec<Section> {
    let mut sections = Vec::new();
    for scenario in scenario::all(false) {
        for cores in [1, 2] {
            sections.extend(section(figures, &scenario, cores));
        }
    }
    sections
}

fn section(figures: &Figures, scenario: &scenario::Scenario, cores: usize) -> Option<Section> {
    let value = |host, metric| figures.value(scenario.name, cores, host, metric);
    let starts = ["connect", "servers"].contains(&scenario.name);
    let hosts = figures.hosts();
    let (metrics, columns): (Vec<&str>, Vec<&str>) = METRICS
        .into_iter()
        .filter(|(metric, _)| STARTING.contains(metric) == starts)
        .filter(|(metric, _)| hosts.iter().any(|host| value(host, metric).is_some()))
        .unzip();
    if metrics.is_empty() {
        return None;
    }
    let cell = |host, metric| {
        let Some(own) = value(host, metric) else {
            return "–".to_owned();
        };
        if metric == WARM_UP {
            let operations = value(host, "warm_up_operations").unwrap_or_default();
            return format!(
                "{} in {}",
                show("operations", operations),
                show(WARM_UP, own)
            );
        }
        let mut cell = format!(
            "{} {:>7}",
            show(metric, own),
            ratio(own, value("floor", metric))
        );
        if let ("per_second", [Some(slowest), Some(fastest)]) =
            (metric, RATE_RANGE.map(|name| value(host, name)))
        {
            cell += &format!(" ({})", range(slowest, fastest));
        }
        cell
    };
    let measured = hosts
        .into_iter()
        .filter(|host| metrics.iter().any(|metric| value(host, metric).is_some()));
    let rows = measured.map(|host| {
        let cells = metrics.iter().map(|metric| cell(host, metric)).collect();
        (host::title(host).to_owned(), cells)
    });
    let place = if cores == 1 { "one core" } else { "two cores" };
    Some(Section {
        title: format!("{}, {place}", scenario.title),
        columns,
        rows: rows.collect(),
    })
}

impl Section {
    fn write_plain(&self, text: &mut String) {
        let _ = write!(text, "{:<32}", self.title);
        for column in &self.columns {
            let _ = write!(text, "{column:>22}");
        }
        text.push('\n');
        for (host, cells) in &self.rows {
            let _ = write!(text, "  {host:<30}");
            for cell in cells {
                let _ = write!(text, "{cell:>22}");
            }
            text.push('\n');
        }
        text.push('\n');
    }

    pub(crate) fn write_markdown(&self, text: &mut String) {
        let _ = writeln!(text, "| {} | {} |", self.title, self.columns.join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(self.columns.len()));
        for (host, cells) in &self.rows {
            let cells = cells.join(" | ");
            let cells: Vec<&str> = cells.split_whitespace().collect();
            let _ = writeln!(text, "| {host} | {} |", cells.join(" "));
        }
        text.push('\n');
    }
}
