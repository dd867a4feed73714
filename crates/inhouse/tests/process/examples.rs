//! The offline examples, run as programs.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// Longer than an example takes on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn calculator_shows_its_calls_the_turns_and_the_cost() {
    let output = run("calculator").await;
    for expected in ["mcp__calc__add", "= 42", "(failed)", " turns, $"] {
        assert!(output.contains(expected), "{expected} is not in: {output}");
    }
}

#[tokio::test]
async fn hot_tools_calls_a_tool_that_was_put_later() {
    let output = run("hot_tools").await;
    assert!(output.contains("Bread is 2.40."), "{output}");
}

#[cfg(feature = "opentelemetry")]
#[tokio::test]
async fn telemetry_exports_one_trace_and_its_metrics() {
    let output = run("telemetry").await;
    for expected in [
        "answer_question (telemetry-example",
        "inhouse::session",
        "invoke_agent",
        "execute_tool multiply",
        "gen_ai.execute_tool.duration",
        "inhouse.cost",
    ] {
        assert!(output.contains(expected), "{expected} is not in: {output}");
    }
    assert_eq!(output.matches("\ntrace ").count(), 1, "{output}");
}

/// Runs an example to completion; returns its output.
async fn run(name: &str) -> String {
    let mut command = Command::new(crate::example::example(name));
    command.stdin(Stdio::null()).kill_on_drop(true);
    // If this is set, the example `telemetry` exports to another collector than the one it starts.
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
    let output = tokio::time::timeout(DEADLINE, command.output()).await;
    let output = output
        .expect("the example exits within the deadline")
        .expect("the example starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("the example prints text")
}
