//! Every compiled host answers every request of the generator, and both write their reports.
//!
//! The figures are not compared: that is the benchmark's work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const FLOOR: &[&str] = &[env!("CARGO_BIN_EXE_bench-floor")];
const CLOSURE: &[&str] = &[env!("CARGO_BIN_EXE_bench-host"), "closure"];
const CURRENT: &[&str] = &[
    env!("CARGO_BIN_EXE_bench-host"),
    "closure",
    "current-thread",
];
const RECORDED: &[&str] = &[env!("CARGO_BIN_EXE_bench-host"), "closure", "recorded"];
const MACRO: &[&str] = &[env!("CARGO_BIN_EXE_bench-host"), "macro"];
const RMCP: &[&str] = &[env!("CARGO_BIN_EXE_bench-host"), "rmcp"];

/// The scenarios, each with a figure that the generator's report must have.
const SCENARIOS: &[(&str, &str)] = &[
    ("connect", "first_answer_ns"),
    ("sequential", "p50_us"),
    ("in-flight:8", "per_second"),
    ("beside-slow", "p99_us"),
    ("echo:70000", "p50_us"),
    ("hook", "p50_us"),
    ("permission", "p50_us"),
    ("messages:20:100", "stream_begin_ns"),
    ("backlog:20:100", "backlog_ns"),
    ("endurance:10", "late_kib"),
];

#[test]
fn floor_answers_every_request() {
    assert_answers_every_request(FLOOR);
}

#[test]
fn closures_answer_every_request() {
    assert_answers_every_request(CLOSURE);
}

#[test]
fn closures_on_one_thread_answer_every_request() {
    assert_answers_every_request(CURRENT);
}

#[test]
fn recorded_closures_answer_every_request() {
    assert_answers_every_request(RECORDED);
}

#[test]
fn functions_answer_every_request() {
    assert_answers_every_request(MACRO);
}

#[test]
fn mounted_handlers_answer_every_request() {
    assert_answers_every_request(RMCP);
}

#[test]
fn every_server_is_connected() {
    for host in [CLOSURE, RMCP] {
        let (generator, _) = run(host, "connect", 5);
        assert!(generator.contains_key("connected_kib"), "{host:?}");
    }
}

fn assert_answers_every_request(host: &[&str]) {
    for (scenario, figure) in SCENARIOS {
        let (generator, own) = run(host, scenario, 1);
        assert!(
            generator.contains_key(*figure),
            "{host:?} in {scenario}: {generator:?}"
        );
        let warms_up = !["connect", "backlog:20:100", "endurance:10"].contains(scenario);
        assert_eq!(
            generator.contains_key("warm_up_operations"),
            warms_up,
            "{host:?} in {scenario}: {generator:?}"
        );
        assert!(
            own["query_ns"] < generator["first_call_ns"],
            "{host:?} in {scenario}"
        );
        if let Some(written) = generator.get("text_bytes") {
            assert_eq!(&own["text_bytes"], written, "{host:?} in {scenario}");
        }
    }
}

type Report = BTreeMap<String, f64>;

/// Runs a host and returns the reports of the generator and of the host.
fn run(host: &[&str], scenario: &str, servers: usize) -> (Report, Report) {
    let directory = tempfile::tempdir().unwrap();
    let reports = ["generator", "host"].map(|name| directory.path().join(name));
    let mut command = Command::new(host[0]);
    command
        .args(&host[1..])
        .env("BENCH_CLI", env!("CARGO_BIN_EXE_bench-cli"))
        .env("BENCH_SCENARIO", scenario)
        .env("BENCH_WARM_UP", "1:1:1")
        .env("BENCH_MILLISECONDS", "1")
        .env("BENCH_READ_MARKS", directory.path().join("marks"))
        .env("BENCH_SERVERS", servers.to_string())
        .env("BENCH_CLI_REPORT", &reports[0])
        .env("BENCH_HOST_REPORT", &reports[1]);
    if scenario.starts_with("backlog") {
        command.env("BENCH_READ_LATE", "1");
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{host:?} in {scenario}: {output:?}"
    );
    let [generator, own] = reports.map(|path| read(&path));
    (generator, own)
}

fn read(path: &Path) -> Report {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}
