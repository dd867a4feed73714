//! Every part of `bench-sessions` works, on small sizes.
//!
//! The figures are not compared with goals: that is the benchmark's work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use inhouse_bench::sessions::Transcript;
use inhouse_proto::session::Entry;

type Report = BTreeMap<String, f64>;

#[test]
fn transcripts_are_chained_entries_of_two_kilobytes() {
    let lines: Vec<String> = Transcript::new(7).take(700).collect();
    let mut parent = None;
    for line in &lines {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
        let entry = Entry::read(line).unwrap();
        assert!(entry.is_chained());
        assert_eq!(entry.parent_uuid, parent);
        parent = entry.uuid;
    }
    let mean = lines.iter().map(String::len).sum::<usize>() / lines.len();
    assert!((1_800..2_200).contains(&mean), "{mean}");
}

#[test]
fn every_session_is_listed() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "20", "84000");
    let report = run(&["list", directory.path().to_str().unwrap()]);
    assert_eq!(report["sessions"], 20.0);
    assert!(report["cpu_ms"] > 0.0 && report["peak_kib"] > 0.0);
}

#[test]
fn long_transcripts_are_read() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "1", "1000000");
    let path = directory.path().to_str().unwrap();
    assert!(run(&["info", path])["bytes"] >= 1e6);
    let report = run(&["messages", path]);
    assert!(
        report["messages"] > 400.0 && report["text_bytes"] > 1e5,
        "{report:?}"
    );
}

#[test]
fn entries_are_mirrored_one_by_one_and_together() {
    let alone = run(&["mirror", "one-by-one", "50", "2000"]);
    assert_eq!(alone["appends"], 50.0);
    let together = run(&["mirror", "burst", "50", "2000"]);
    assert!(together["appends"] <= 50.0, "{together:?}");
}

#[test]
fn session_is_resumed_from_sqlite() {
    let report = run(&["resume", "sqlite", "1000000", "2"]);
    assert!(report["min_ms"] <= report["wall_ms"] && report["wall_ms"] <= report["max_ms"]);
}

fn write(directory: &Path, sessions: &str, bytes: &str) {
    let arguments = ["write", directory.to_str().unwrap(), sessions, bytes];
    assert_eq!(output(&arguments), "");
}

fn run(arguments: &[&str]) -> Report {
    let text = output(arguments);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {text}"))
}

fn output(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench-sessions"));
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
