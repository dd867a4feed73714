//! `inhouse doctor` and `inhouse replay` with the real CLI, in isolation.

#[cfg(unix)]
mod replay;

use inhouse_testkit::{Isolation, RealCli, ScriptedModel};
use serde_json::Value;
use tokio::process::Command;

/// Runs the doctor with the environment of an isolation, changed by `change`; returns its checks.
async fn checks(change: impl FnOnce(&mut Command)) -> Vec<Value> {
    let model = ScriptedModel::start().await.unwrap();
    let isolation: Isolation = RealCli::pinned().unwrap().isolated(&model).unwrap();
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_inhouse"));
    doctor.args(["doctor", "--json", "--cli"]);
    doctor.arg(isolation.program()).env_clear();
    doctor.envs(isolation.env()).current_dir(isolation.cwd());
    change(&mut doctor);
    let output = doctor.kill_on_drop(true).output().await.unwrap();
    // Neither the login nor the calls ask a model for which the user would pay.
    assert_eq!(model.requests().len(), 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn every_check_passes_with_a_working_cli() {
    let checks = checks(|_| {}).await;
    let names: Vec<_> = checks
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["CLI", "Version", "Login", "Tool call", "Tool that panics"]
    );
    assert!(
        checks.iter().all(|check| check["passed"] == true),
        "{checks:?}"
    );
    assert_eq!(checks[2]["detail"], "credentials from ANTHROPIC_API_KEY");
    let panic = checks[4]["detail"].as_str().unwrap();
    let expected = "the session continued, and the model received an error: ";
    assert!(panic.starts_with(expected), "{panic}");
    for expected in ["panicked\nIf a tool of yours panics", "stderr", "ToolError"] {
        assert!(panic.contains(expected), "{expected}: {panic}");
    }
}

#[tokio::test]
async fn missing_login_is_explained_and_the_rest_is_checked() {
    let checks = checks(|doctor| {
        doctor.env_remove("ANTHROPIC_API_KEY");
    })
    .await;
    assert_eq!(checks[2]["passed"], false, "{checks:?}");
    assert_eq!(checks[2]["detail"], "the CLI is not logged in");
    let remedy = "Set ANTHROPIC_API_KEY, or run `claude` in a terminal and log in with /login";
    assert_eq!(checks[2]["remedy"], remedy);
    assert_eq!(checks[3]["passed"], true, "{checks:?}");
}
