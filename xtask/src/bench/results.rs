//! `docs/bench/results.md`: every table, written from the figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::figures::{self, Figure, Figures, RATE_RANGE, Selection};
use super::goals::GOALS;
use super::metric::{ratio, show};
use super::scenario::SERVERS;
use super::{host, table};
use crate::workspace::Workspace;

pub(crate) const PATH: &str = "docs/bench/results.md";

/// The columns of the overview.
const COLUMNS: [Selection; 9] = [
    Selection::new("small call, p50, one core", "sequential", 1, "p50_us"),
    Selection::new("p50, two cores", "sequential", 2, "p50_us"),
    Selection::new(
        "host CPU per call, one core",
        "sequential",
        1,
        "host_cpu_us",
    ),
    Selection::new(
        "cold: mean of the first 2,000 calls, one core",
        "sequential",
        1,
        "cold_us",
    ),
    Selection::new(
        "calls, 64 in flight, two cores",
        "in-flight-64",
        2,
        "per_second",
    ),
    Selection::new("echo of 1 MiB, p50, one core", "echo-1m", 1, "p50_us"),
    Selection::new(
        "200,000 messages, two cores",
        "messages-small",
        2,
        "stream_ms",
    ),
    Selection::new("memory, connected", "connect", 2, "connected_kib"),
    Selection::new("memory, warmed up", "sequential", 2, "warm_kib"),
];

/// The rows about sessions, with their titles.
const SESSIONS: [(&str, &str); 11] = [
    ("list, inhouse", "list of 10,000 sessions of 84 kB, inhouse"),
    ("list, typescript", "the same, official TypeScript SDK"),
    ("list, python", "the same, official Python SDK"),
    ("info", "info of a transcript of 1 GB"),
    ("messages", "messages of a transcript of 1 GB, streamed"),
    (
        "mirror, one by one",
        "mirror of an entry of 2 kB, appended on its own",
    ),
    (
        "mirror, burst",
        "mirror of an entry of 2 kB, appended with others",
    ),
    (
        "resume 100 kB, sqlite",
        "resume of 100 kB from SQLite, without the CLI",
    ),
    (
        "resume 100 kB, postgres",
        "resume of 100 kB from PostgreSQL, without the CLI",
    ),
    (
        "resume 20 MB, sqlite",
        "resume of 20 MB from SQLite, without the CLI",
    ),
    (
        "resume 20 MB, postgres",
        "resume of 20 MB from PostgreSQL, without the CLI",
    ),
];

/// The names of figures, with their titles.
type Columns = &'static [(&'static str, &'static str)];

/// The rows about fleets, with their titles and the figures that are shown.
const FLEET: [(&str, &str, Columns); 10] = [
    (
        "turns",
        "200 sessions with 10 prompts each, two workers",
        TURN_COLUMNS,
    ),
    (
        "turns, pgbench",
        "the same statements with pgbench",
        TURN_COLUMNS,
    ),
    (
        "large turns, pgbench",
        "turns with a transcript of 77 kB in 8 appends, pgbench",
        TURN_COLUMNS,
    ),
    (
        "notifications, pgbench",
        "transactions that only notify, pgbench",
        &[("per_second", "rate"), ("each_us", "each")],
    ),
    (
        "begin",
        "from enqueueing a prompt to the start of its CLI",
        &[("p50_ms", "p50"), ("p99_ms", "p99")],
    ),
    ("idle, 0 sessions", "idle worker, no sessions", IDLE_COLUMNS),
    (
        "idle, 10,000 sessions",
        "idle worker, 10,000 sessions that wait for a time or a person",
        IDLE_COLUMNS,
    ),
    (
        "claim, 10 prompts",
        "claim beside 10 queued prompts",
        CLAIM_COLUMNS,
    ),
    (
        "claim, 100,000 prompts",
        "claim beside 100,000 queued prompts",
        CLAIM_COLUMNS,
    ),
    (
        "simulation",
        "20,000 queued prompts of 2,000 sessions, four workers of which one is killed: all answered once and in order",
        &[
            ("enqueued_per_second", "enqueued"),
            ("per_second", "answered"),
            ("taken_over", "prompts taken over"),
            ("worker_cpu_us", "worker CPU each"),
            ("peak_kib", "worker memory"),
        ],
    ),
];

const TURN_COLUMNS: Columns = &[
    ("per_second", "rate"),
    ("transactions", "transactions each"),
    ("transactions_per_second", "transactions"),
    ("each_us", "each transaction"),
    ("log_kib", "log each"),
    ("worker_cpu_us", "worker CPU each"),
    ("server_cpu_us", "server CPU each"),
    ("peak_kib", "worker memory"),
];

const IDLE_COLUMNS: Columns = &[
    ("transactions_per_second", "transactions"),
    ("worker_cpu_us", "worker CPU per second"),
    ("server_cpu_us", "server CPU per second"),
    ("resident_kib", "worker memory"),
];

const CLAIM_COLUMNS: Columns = &[("p50_us", "p50"), ("p99_us", "p99"), ("pages", "pages")];

pub(crate) fn write(workspace: &Workspace, figures: &Figures) -> Result<()> {
    workspace.write(PATH, &page(figures))
}

fn page(figures: &Figures) -> String {
    let mut text = format!(
        "# Results of the benchmark\n\n\
         `cargo xtask bench` writes this page from [result.json]({}); [README.md](README.md) describes the method.\n\
         The figures are medians of {} rounds on {}. Only ratios, which are to the floor, carry over to another machine.\n",
        figures::PATH.trim_start_matches("docs/bench/"),
        figures.rounds,
        figures.date
    );
    let has_range = |figure: &Figure| figure.values.contains_key(RATE_RANGE[0]);
    if figures.figures.iter().any(has_range) {
        text.push_str("Rates have the slowest and the fastest round in parentheses; calls in flight have at least five rounds.\n");
    }
    text.push('\n');
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
    text.push_str("\n## Goals\n\nFor inhouse, with closures where it has tools.\n\n| figure | goal | measured | |\n|---|---|---|---|\n");
    for goal in &GOALS {
        let [limit, measured, outcome] = goal.cells(figures);
        let _ = writeln!(
            text,
            "| {} | {limit} | {measured} | {outcome} |",
            goal.title
        );
    }
    overview(&mut text, figures);
    in_process(&mut text, figures);
    sessions(&mut text, figures);
    fleet(&mut text, figures);
    text.push_str("\n## All scenarios\n\n");
    for section in table::sections(figures) {
        section.write_markdown(&mut text);
    }
    if let Some(unsteady) = unsteady(figures) {
        text.push_str(&unsteady);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Renders a version without repeating its name: `node v22`, `rustc 1.95.0`.
fn named(name: &str, value: &str) -> String {
    if value.starts_with(name) {
        value.to_owned()
    } else {
        format!("{name} {value}")
    }
}

fn overview(text: &mut String, figures: &Figures) {
    let titles = COLUMNS.iter().map(|column| column.title);
    let titles = titles.collect::<Vec<_>>().join(" | ");
    let _ = writeln!(
        text,
        "\n## Overview\n\n| | {titles} |\n|---|{}",
        "---|".repeat(COLUMNS.len())
    );
    for host in figures.hosts() {
        let cells = COLUMNS.iter().map(|column| cell(column, figures, host));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(text, "| {} | {cells} |", host::title(host));
    }
}

fn cell(column: &Selection, figures: &Figures, host: &str) -> String {
    match column.value(figures, host) {
        None => "–".to_owned(),
        Some(own) if host == "floor" => show(column.metric, own),
        Some(own) => {
            let ratio = ratio(own, column.value(figures, "floor"));
            format!("{} ({ratio})", show(column.metric, own))
        }
    }
}

/// Renders the costs inside one process, and the memory of sessions, servers and calls.
fn in_process(text: &mut String, figures: &Figures) {
    text.push_str("\n## One process\n\n");
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
        let [sessions, each] = ["sessions", "each_kib"].map(|name| {
            cost.get(name)
                .map_or(String::new(), |value| show(name, *value))
        });
        let _ = writeln!(
            text,
            "- Each of {sessions} sessions in one process holds {each}."
        );
    }
    if let Some(memory) = memory(figures) {
        let _ = writeln!(text, "- {memory}");
    }
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

/// Renders what is done with sessions. Ratios are to this library.
fn sessions(text: &mut String, figures: &Figures) {
    let rows: Vec<_> = SESSIONS
        .into_iter()
        .filter(|(row, _)| figures.sessions.contains_key(*row))
        .collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("\n## Sessions\n\n| | CPU | time | peak memory |\n|---|---|---|---|\n");
    for (row, title) in rows {
        let value = |metric: &str| figures.session_value(row, metric);
        let cell = |metric: &str| {
            let own = value(metric)?;
            let shown = show(metric, own);
            let peer = figures.session_value("list, inhouse", metric);
            Some(match row.starts_with("list, ") && row != "list, inhouse" {
                true => format!("{shown} ({})", ratio(own, peer)),
                false => shown,
            })
        };
        let cpu = cell("each_us").or_else(|| cell("cpu_ms"));
        let range = [value("min_ms"), value("max_ms")];
        let time = match range.map(|end| Some(show("wall_ms", end?))) {
            [Some(min), Some(max)] => {
                cell("wall_ms").map(|time| format!("{time} ({min} to {max})"))
            }
            _ => cell("wall_ms"),
        };
        let cells =
            [cpu, time, cell("peak_kib")].map(|cell| cell.unwrap_or_else(|| "–".to_owned()));
        let _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
    }
}

/// Renders what a fleet does.
fn fleet(text: &mut String, figures: &Figures) {
    let mut rows = String::new();
    for (row, title, columns) in FLEET {
        let known = columns.iter().filter_map(|(metric, name)| {
            let value = figures.fleet_value(row, metric)?;
            Some(format!("{name} {}", show(metric, value)))
        });
        let known = known.collect::<Vec<_>>().join(", ");
        if !known.is_empty() {
            let _ = writeln!(rows, "| {title} | {known} |");
        }
    }
    if !rows.is_empty() {
        let _ = write!(text, "\n## Fleet\n\n| | |\n|---|---|\n{rows}");
    }
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

/// Lists the rows whose rate still changed at the maximum of the warm-up.
fn unsteady(figures: &Figures) -> Option<String> {
    let rows = figures
        .figures
        .iter()
        .filter(|figure| figure.values.get("steady") == Some(&0.0));
    let rows = rows.map(|row| format!("{} on {}, {}", row.scenario, row.cores, row.host));
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
    use super::*;

    #[test]
    fn committed_page_matches_the_committed_figures() {
        let workspace = Workspace::locate();
        let figures = Figures::read(&workspace).unwrap();
        let committed = workspace.read(PATH).unwrap();
        assert!(
            committed == page(&figures),
            "run `cargo xtask bench --pages`"
        );
    }

    #[test]
    fn sessions_are_compared_with_the_official_sdks() {
        let mut figures = Figures::of(Vec::new(), 1).unwrap();
        let cpu = |ms: f64| [("cpu_ms".to_owned(), ms)].into();
        figures
            .sessions
            .insert("list, inhouse".to_owned(), cpu(400.0));
        figures
            .sessions
            .insert("list, python".to_owned(), cpu(5_000.0));
        let mut text = String::new();
        sessions(&mut text, &figures);
        assert!(text.contains("inhouse | 400 ms | – | – |"), "{text}");
        assert!(
            text.contains("Python SDK | 5.00 s (12.5×) | – | – |"),
            "{text}"
        );
    }

    #[test]
    fn figures_of_a_fleet_have_their_units() {
        let mut figures = Figures::of(Vec::new(), 1).unwrap();
        let mut text = String::new();
        fleet(&mut text, &figures);
        assert!(text.is_empty(), "{text}");
        let begin = [("p50_ms".to_owned(), 4.0), ("p99_ms".to_owned(), 9.5)];
        figures.fleet.insert("begin".to_owned(), begin.into());
        fleet(&mut text, &figures);
        assert!(text.contains("CLI | p50 4.00 ms, p99 9.50 ms |"), "{text}");
    }

    #[test]
    fn rows_without_a_steady_rate_are_listed() {
        let row = |host: &str, steady: f64| Figure {
            scenario: "sequential".to_owned(),
            cores: 1,
            host: host.to_owned(),
            values: [("steady".to_owned(), steady)].into(),
        };
        let both = Figures::of(vec![row("floor", 1.0), row("python", 0.0)], 1).unwrap();
        let listed = unsteady(&both).unwrap();
        assert!(listed.contains("sequential on 1, python") && !listed.contains("floor"));
        let steady = Figures::of(vec![row("floor", 1.0)], 1).unwrap();
        assert_eq!(unsteady(&steady), None);
    }
}
