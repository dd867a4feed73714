//! A scenario for the real CLI on a machine that does not have it.

use inhouse::Options;
use inhouse_testkit::Scenario;
use inhouse_testkit::host::this_test;

/// Set in the process in which the CLI is missing.
const CHILD: &str = "INHOUSE_TEST_MISSING_CLI";

#[tokio::test]
async fn real_scenario_without_the_cli_says_what_to_do() {
    if std::env::var_os(CHILD).is_none() {
        let output = this_test("missing_cli::real_scenario_without_the_cli_says_what_to_do")
            .unwrap()
            .env(CHILD, "1")
            .env("INHOUSE_REAL_CLI", "/nowhere/claude")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let scenario = Scenario::new(Options::new()).turn("42").real();
    let error = scenario.prompt("What is 15 + 27?").await.unwrap_err();
    let expected =
        "INHOUSE_REAL_CLI is set to /nowhere/claude, which is not a file; correct or unset it";
    let text = error.to_string();
    assert!(text.contains(expected), "{text}");
}
