//! The official conformance suite against a `ToolServer` and against an `rmcp` server behind the same
//! serving code.
//!
//! A file in `known_failures` lists the scenarios that fail, with the reason. The suite fails when
//! another scenario fails or warns, and when a listed one passes.

use std::path::Path;

use inhouse::rmcp::ServerHandler;
use serde_json::Value;

use crate::everything::Everything;
use crate::support::{HttpServer, beside, node, package_file, run};
use crate::tools;

/// The released suite, for the versions with a handshake.
const RELEASED: &str = "conformance-0.1";
/// The pre-release that knows 2026-07-28.
const ALPHA: &str = "conformance-0.2-alpha";

#[tokio::test]
async fn rmcp_server_conforms_to_2025_06_18() {
    conforms(Everything, RELEASED, "2025-06-18", "none", 26).await;
}

#[tokio::test]
async fn rmcp_server_conforms_to_2025_11_25() {
    conforms(Everything, RELEASED, "2025-11-25", "none", 32).await;
}

#[tokio::test]
async fn rmcp_server_conforms_to_2026_07_28() {
    conforms(Everything, ALPHA, "2026-07-28", "rmcp-2026-07-28", 40).await;
}

#[tokio::test]
async fn tool_server_conforms_to_2025_06_18() {
    let tools = tools::server().into_rmcp().expect("valid tools");
    conforms(tools, RELEASED, "2025-06-18", "tools-2025-06-18", 26).await;
}

#[tokio::test]
async fn tool_server_conforms_to_2025_11_25() {
    let tools = tools::server().into_rmcp().expect("valid tools");
    conforms(tools, RELEASED, "2025-11-25", "tools-2025-11-25", 32).await;
}

#[tokio::test]
async fn tool_server_conforms_to_2026_07_28() {
    let tools = tools::server().into_rmcp().expect("valid tools");
    conforms(tools, ALPHA, "2026-07-28", "tools-2026-07-28", 40).await;
}

/// Runs every server scenario of a protocol version, of which there are `scenarios`.
async fn conforms(
    handler: impl ServerHandler + Clone,
    suite: &str,
    version: &str,
    known_failures: &str,
    scenarios: usize,
) {
    let server = HttpServer::start(handler).await;
    let results = tempfile::tempdir().expect("a temporary directory");
    let mut command = node();
    command
        .arg(package_file(suite).join("dist/index.js"))
        .args(["server", "--suite", "all", "--spec-version", version])
        .args(["--url", &server.url])
        .arg("--expected-failures")
        .arg(beside(&format!("known_failures/{known_failures}.yml")))
        .arg("--output-dir")
        .arg(results.path());
    let report = match run(&mut command).await {
        Ok(report) => report,
        Err(report) => panic!("{report}\n{}", failed_checks(results.path())),
    };
    let announced = format!("({scenarios} scenarios)");
    assert!(report.contains(&announced), "not {announced}:\n{report}");
}

/// Returns the checks that failed or warned; the suite itself prints only their number.
fn failed_checks(results: &Path) -> String {
    let mut failed = Vec::new();
    for scenario in std::fs::read_dir(results).expect("the results").flatten() {
        let Ok(checks) = std::fs::read_to_string(scenario.path().join("checks.json")) else {
            continue;
        };
        let checks: Vec<Value> = serde_json::from_str(&checks).expect("a list of checks");
        for check in checks {
            if check["status"] == "FAILURE" || check["status"] == "WARNING" {
                let scenario = scenario.file_name();
                let scenario = scenario.to_string_lossy();
                let (id, why) = (&check["id"], &check["errorMessage"]);
                failed.push(format!("{scenario} {id}: {why}"));
            }
        }
    }
    failed.sort();
    failed.join("\n")
}
