//! Runs each target for a short time, so that a change that breaks a property fails before the long runs.

use std::time::Duration;

use inhouse_fuzz_targets::{Limits, TARGETS, fuzz, target};

const TIME: Duration = Duration::from_secs(2);

#[track_caller]
fn assert_no_findings(name: &str) {
    let target = target(name).expect("the target exists");
    let limits = Limits {
        time: TIME,
        seed: 1,
    };
    let report = fuzz(target, limits);
    assert!(report.executions >= (target.seeds)().len() as u64);
    let findings = report.findings.iter().map(|finding| {
        let input = String::from_utf8_lossy(&finding.input);
        format!("{}\n  input: {input:?}", finding.reason)
    });
    assert_eq!(findings.collect::<Vec<_>>().join("\n"), "");
}

#[test]
fn engine_has_no_findings() {
    assert_no_findings("engine");
}

#[test]
fn message_has_no_findings() {
    assert_no_findings("message");
}

#[test]
fn recordings_has_no_findings() {
    assert_no_findings("recordings");
}

#[test]
fn requests_has_no_findings() {
    assert_no_findings("requests");
}

#[test]
fn rpc_has_no_findings() {
    assert_no_findings("rpc");
}

#[test]
fn rules_has_no_findings() {
    assert_no_findings("rules");
}

#[test]
fn session_has_no_findings() {
    assert_no_findings("session");
}

#[test]
fn every_target_has_seeds_a_test_and_a_libfuzzer_binary() {
    let tests = include_str!("short.rs");
    for target in TARGETS {
        assert!((target.seeds)().len() >= 10, "{}", target.name);
        let call = format!("assert_no_findings(\"{}\");", target.name);
        assert!(tests.contains(&call), "no test has {call}");
        let binary = format!("../fuzz/fuzz_targets/{}.rs", target.name);
        let text = std::fs::read_to_string(&binary).expect(&binary);
        assert!(
            text.contains(&format!("targets::{}", target.name)),
            "{binary}"
        );
    }
}
