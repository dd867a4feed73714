//! The figures in README, which nobody writes by hand.

use std::fmt::Write as _;

use super::figures::{Figures, PATH};
use super::metric::{ratio, show};
use super::scenario::SERVERS;
use super::{chart, host};
use crate::workspace::Workspace;

const README: &str = "README.md";
const BEGIN: &str = "<!-- figures: written by `cargo xtask bench`, not by hand -->\n";
const END: &str = "<!-- end of figures -->\n";

/// A column: its title, and which figure it shows.
struct Column {
    title: &'static str,
    scenario: &'static str,
    cores: usize,
    metric: &'static str,
}

const COLUMNS: [Column; 7] = [
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
        title: "calls, 64 in flight, two cores",
        scenario: "in-flight-64",
        cores: 2,
        metric: "per_second",
    },
    Column {
        title: "1 MiB there and back, p50, one core",
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
];

/// Puts the committed figures into README.
pub(crate) fn rewrite(workspace: &Workspace) -> Result<(), String> {
    let figures = Figures::read(workspace)?;
    let readme = with_section(&workspace.read(README)?, &section(&figures))?;
    let path = workspace.root().join(README);
    std::fs::write(&path, readme).map_err(|cause| format!("{README}: {cause}"))
}

fn with_section(readme: &str, section: &str) -> Result<String, String> {
    let missing = || format!("{README} has no place for figures: `{}`", BEGIN.trim());
    let (before, rest) = readme.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}{section}{END}{after}"))
}

fn section(figures: &Figures) -> String {
    let mut text = format!("\n![Hosts side by side]({})\n\n| |", chart::PATH);
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
    let _ = writeln!(text, "\n{}", remarks(figures));
    text
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

/// What the table does not say: how it was measured, and the costs inside of the process.
fn remarks(figures: &Figures) -> String {
    let mut sentences = vec![format!(
        "Medians of {} rounds on {}, with a load generator that plays the CLI; in parentheses the ratio to the floor, a host that \
         knows no JSON and writes constant answers. Only ratios mean something on another machine.",
        figures.rounds, figures.date
    )];
    for (name, words) in [
        (
            "closure",
            "A small call from line to line inside of the process",
        ),
        ("rmcp", "The same with a mounted rmcp server"),
        ("message", "A message read"),
    ] {
        if let Some(cost) = figures.in_process.get(name) {
            sentences.push(format!("{words}: {}.", costs(cost)));
        }
    }
    if let Some(cost) = figures.scale.get("memory") {
        let value = |name: &str| {
            cost.get(name)
                .map_or(String::new(), |cost| show(name, *cost))
        };
        sentences.push(format!(
            "{} sessions in one process hold {} each.",
            value("sessions"),
            value("each_kib")
        ));
    }
    sentences.extend(memory(figures));
    let versions: Vec<String> = figures
        .versions
        .iter()
        .map(|(name, version)| match version.strip_prefix(name) {
            Some(_) => version.clone(),
            None => format!("{name} {version}"),
        })
        .collect();
    sentences.push(format!(
        "Versions: {}. All figures: [{PATH}]({PATH}).",
        versions.join(", ")
    ));
    sentences.join("\n")
}

/// What servers and calls hold on to.
fn memory(figures: &Figures) -> Option<String> {
    let value = |scenario, metric| figures.value(scenario, 2, "closure", metric);
    let one = value("connect", "connected_kib")?;
    let many = value("servers", "connected_kib")?;
    let growth = value("endurance", "growth_kib")?;
    let each = (many - one) / (SERVERS - 1) as f64;
    Some(format!(
        "Each of {SERVERS} servers of four tools holds {}; between 10,000 and 1,000,000 calls memory grows by {}.",
        show("each_kib", each),
        show("growth_kib", growth)
    ))
}

fn costs(cost: &std::collections::BTreeMap<String, f64>) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_says_what_was_measured() {
        let workspace = Workspace::locate();
        let figures = Figures::read(&workspace).unwrap();
        let readme = workspace.read(README).unwrap();
        assert_eq!(
            with_section(&readme, &section(&figures)).unwrap(),
            readme,
            "cargo xtask bench --readme writes it anew"
        );
    }

    #[test]
    fn only_the_section_is_replaced() {
        let readme = format!("before\n{BEGIN}old\n{END}after\n");
        assert_eq!(
            with_section(&readme, "new\n").unwrap(),
            format!("before\n{BEGIN}new\n{END}after\n")
        );
        assert!(with_section("nothing", "new").is_err());
    }
}
