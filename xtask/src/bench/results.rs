//! `docs/bench/results.md`: every table, written from the figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::figures::{self, Figures};
use super::goals::GOALS;
use super::metric::{ratio, show};
use super::scenario::SERVERS;
use super::{host, table};
use crate::workspace::Workspace;

pub(crate) const PATH: &str = "docs/bench/results.md";

/// A column of the overview: its title, and which figure it shows.
struct Column {
    title: &'static str,
    scenario: &'static str,
    cores: usize,
    metric: &'static str,
}

const COLUMNS: [Column; 9] = [
    Column {
        title: "small call, p50, one core",
        scenario: "sequential",
        cores: 1,
        metric: "p50_us",
    },
    Column {
        title: "p50, two cores",
        scenario: "sequential",
        cores: 2,
        metric: "p50_us",
    },
    Column {
        title: "host CPU per call, one core",
        scenario: "sequential",
        cores: 1,
        metric: "host_cpu_us",
    },
    Column {
        title: "cold: mean of the first 2,000 calls, one core",
        scenario: "sequential",
        cores: 1,
        metric: "cold_us",
    },
    Column {
        title: "calls, 64 in flight, two cores",
        scenario: "in-flight-64",
        cores: 2,
        metric: "per_second",
    },
    Column {
        title: "echo of 1 MiB, p50, one core",
        scenario: "echo-1m",
        cores: 1,
        metric: "p50_us",
    },
    Column {
        title: "200,000 messages, two cores",
        scenario: "messages-small",
        cores: 2,
        metric: "stream_ms",
    },
    Column {
        title: "memory, connected",
        scenario: "connect",
        cores: 2,
        metric: "connected_kib",
    },
    Column {
        title: "memory, warmed up",
        scenario: "sequential",
        cores: 2,
        metric: "warm_kib",
    },
];

pub(crate) fn write(workspace: &Workspace, figures: &Figures) -> Result<(), String> {
    std::fs::write(workspace.root().join(PATH), page(figures))
        .map_err(|cause| format!("{PATH}: {cause}"))
}

fn page(figures: &Figures) -> String {
    let mut text = format!(
        "# Results of the benchmark\n\n\
         `cargo xtask bench` writes this page from [result.json]({}); [README.md](README.md) says how it measures.\n\
         The figures are medians of {} rounds on {}. Ratios in parentheses are to the floor. Only ratios carry over to another \
         machine.\n\n",
        figures::PATH.trim_start_matches("docs/bench/"),
        figures.rounds,
        figures.date
    );
    for (title, values) in [
        ("Machine", &figures.machine),
        ("Versions", &figures.versions),
    ] {
        let values: Vec<String> = values
            .iter()
            .map(|(name, value)| named(name, value))
            .collect();
        let _ = writeln!(text, "- {title}: {}.", values.join(", "));
    }
    for (title, reasons) in [
        ("Not measured", &figures.absent),
        ("Failed", &figures.failed),
    ] {
        for (name, reason) in reasons {
            let _ = writeln!(text, "- {title}: {name}: {reason}.");
        }
    }
    text.push('\n');
    goals(&mut text, figures);
    overview(&mut text, figures);
    in_process(&mut text, figures);
    text.push_str("## All scenarios\n\n");
    for section in table::sections(figures) {
        section.write_markdown(&mut text);
    }
    if let Some(unsteady) = unsteady(figures) {
        let _ = writeln!(text, "{unsteady}");
    }
    let _ = text.pop();
    text
}

/// A version without its name twice: `node v22`, `rustc 1.95.0`.
fn named(name: &str, value: &str) -> String {
    if value.starts_with(name) {
        value.to_owned()
    } else {
        format!("{name} {value}")
    }
}

fn goals(text: &mut String, figures: &Figures) {
    text.push_str("## Goals\n\nFor inhouse with closures.\n\n| figure | goal | measured | |\n|---|---|---|---|\n");
    for goal in &GOALS {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            goal.title,
            goal.limit(),
            goal.measured(figures),
            goal.outcome(figures).words()
        );
    }
    text.push('\n');
}

fn overview(text: &mut String, figures: &Figures) {
    text.push_str("## Overview\n\n| |");
    for column in &COLUMNS {
        let _ = write!(text, " {} |", column.title);
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(COLUMNS.len()));
    text.push('\n');
    for host in figures.hosts() {
        let _ = write!(text, "| {} |", host::title(host));
        for column in &COLUMNS {
            let _ = write!(text, " {} |", column.cell(figures, host));
        }
        text.push('\n');
    }
    text.push('\n');
}

impl Column {
    fn cell(&self, figures: &Figures, host: &str) -> String {
        let value = |host| figures.value(self.scenario, self.cores, host, self.metric);
        match value(host) {
            None => "–".to_owned(),
            Some(own) if host == "floor" => show(self.metric, own),
            Some(own) => format!(
                "{} ({})",
                show(self.metric, own),
                ratio(own, value("floor"))
            ),
        }
    }
}

/// Costs inside of the process, and what sessions, servers and calls hold.
fn in_process(text: &mut String, figures: &Figures) {
    text.push_str("## One process\n\n");
    for (name, words) in [
        ("closure", "Small call, line to line, without a CLI process"),
        ("rmcp", "The same with a mounted rmcp server"),
        ("message", "One message read"),
    ] {
        if let Some(cost) = figures.in_process.get(name) {
            let _ = writeln!(text, "- {words}: {}.", costs(cost));
        }
    }
    if let Some(cost) = figures.scale.get("memory") {
        let value = |name: &str| {
            cost.get(name)
                .map_or(String::new(), |cost| show(name, *cost))
        };
        let _ = writeln!(
            text,
            "- Each of {} sessions in one process holds {}.",
            value("sessions"),
            value("each_kib")
        );
    }
    if let Some(memory) = memory(figures) {
        let _ = writeln!(text, "- {memory}");
    }
    text.push('\n');
}

fn memory(figures: &Figures) -> Option<String> {
    let value = |scenario, metric| figures.value(scenario, 2, "closure", metric);
    let one = value("connect", "connected_kib")?;
    let many = value("servers", "connected_kib")?;
    let growth = value("endurance", "growth_kib")?;
    let each = (many - one) / (SERVERS - 1) as f64;
    Some(format!(
        "Each of {SERVERS} servers with four tools holds {}; between 10,000 and 1,000,000 calls memory grows by {}.",
        show("each_kib", each),
        show("growth_kib", growth)
    ))
}

fn costs(cost: &BTreeMap<String, f64>) -> String {
    let parts = [
        ("each_us", ""),
        ("best_us", " at best"),
        ("instructions", " instructions"),
        ("allocations", " allocations"),
    ];
    let known = parts.iter().filter_map(|(name, unit)| {
        let value = cost.get(*name)?;
        Some(format!("{}{unit}", show(name, *value)))
    });
    known.collect::<Vec<_>>().join(", ")
}

/// The rows whose rate still changed at the maximum of the warm-up.
fn unsteady(figures: &Figures) -> Option<String> {
    let rows = figures.figures.iter();
    let rows = rows.filter(|figure| figure.values.get("steady") == Some(&0.0));
    let rows =
        rows.map(|figure| format!("{} on {}, {}", figure.scenario, figure.cores, figure.host));
    let rows: Vec<String> = rows.collect();
    (!rows.is_empty()).then(|| {
        format!(
            "Measured at the maximum of the warm-up, with a rate that was not steady in most rounds: {}.\n",
            rows.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::figures::Figure;
    use super::*;

    #[test]
    fn committed_page_matches_the_committed_figures() {
        let workspace = Workspace::locate();
        let figures = Figures::read(&workspace).unwrap();
        assert_eq!(
            workspace.read(PATH).unwrap(),
            page(&figures),
            "`cargo xtask bench --pages` writes it again"
        );
    }

    #[test]
    fn rows_without_a_steady_rate_are_listed() {
        let row = |host: &str, steady: f64| Figure {
            scenario: "sequential".to_owned(),
            cores: 1,
            host: host.to_owned(),
            values: [("steady".to_owned(), steady)].into(),
        };
        let both = Figures::of(vec![row("floor", 1.0), row("python", 0.0)], 1);
        let listed = unsteady(&both).unwrap();
        assert!(listed.contains("sequential on 1, python") && !listed.contains("floor"));
        assert_eq!(unsteady(&Figures::of(vec![row("floor", 1.0)], 1)), None);
    }
}
