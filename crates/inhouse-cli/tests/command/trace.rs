use std::fs;

use serde_json::Value;

use super::{printed, refused};

const RECORDING: &str = "{\"inhouse_recording\":1}\n{\"t\":1,\"stderr\":\"hello\"}\n";

#[test]
fn page_is_written_beside_the_recording() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("run.jsonl"), RECORDING).unwrap();
    let text = printed(directory.path(), &["trace", "--no-open", "run.jsonl"]);
    assert!(text.trim_end().ends_with("run.html 1 event"), "{text}");
    let page = fs::read_to_string(directory.path().join("run.html")).unwrap();
    assert!(page.contains("data-name=\"run.jsonl\""));
    assert!(page.contains("\"stderr\":\"hello\""));
}

#[test]
fn output_can_be_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("run.jsonl"), RECORDING).unwrap();
    let arguments = ["trace", "run.jsonl", "--no-open", "--json", "-o", "a.html"];
    let report: Value = serde_json::from_str(&printed(directory.path(), &arguments)).unwrap();
    assert_eq!(report["events"], 1);
    let page = report["page"].as_str().unwrap();
    assert!(page.ends_with("a.html") && fs::exists(page).unwrap());
    let page = printed(directory.path(), &["trace", "run.jsonl", "-o", "-"]);
    assert!(page.starts_with("<!doctype html>"));
    assert!(!fs::exists(directory.path().join("run.html")).unwrap());
}

#[test]
fn errors_say_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("other.jsonl"),
        "{\"type\":\"user\"}\n",
    )
    .unwrap();
    fs::write(directory.path().join("page.html"), RECORDING).unwrap();
    for (arguments, expected) in [
        (&["trace", "missing.jsonl"][..], "cannot open missing.jsonl"),
        (&["trace", "other.jsonl"], "Options::record"),
        (&["trace", "other.jsonl", "--follow"], "Options::record"),
        (&["trace", "page.html"], "--output"),
        (
            &["trace", "page.html", "-o", "no/such/directory.html"],
            "cannot write",
        ),
        (&["trace", "page.html", "--port", "1"], "--follow"),
    ] {
        let error = refused(directory.path(), arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("page.html")).unwrap(),
        RECORDING
    );
}
