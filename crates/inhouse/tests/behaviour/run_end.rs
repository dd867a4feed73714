//! When stdin of a query is closed: at the end of its run, not at its first result.

use std::convert::Infallible;
use std::time::Duration;

use inhouse::process::ShutdownTiming;
use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{read, result_with, seconds, timed};

/// Options with a handler that proves that the host still answers.
fn reachable() -> Options {
    Options::new().on_request("ping", async |_: Value| Ok::<_, Infallible>(json!("pong")))
}

/// Sends a request and gets its response, which needs an open stdin.
async fn assert_reaches_the_host(cli: &mut FakeCli) {
    let id = cli.ask(json!({"subtype": "ping"})).await;
    assert_eq!(cli.expect_answer(&id).await.payload(), "pong");
}

#[tokio::test(start_paused = true)]
async fn promise_01_query_keeps_stdin_open_for_requests() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let asked = query("hello").options(reachable()).transport(transport);
        asked.await?.text().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        assert_reaches_the_host(&mut cli).await;
        cli.result("done").await;
        assert_reaches_the_host(&mut cli).await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "done");
}

#[tokio::test(start_paused = true)]
async fn promise_02_session_that_resumes_after_its_result_is_served() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let asked = query("hello").options(reachable()).transport(transport);
        asked.await?.text().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.result("first").await;
        cli.state("requires_action").await;
        assert_reaches_the_host(&mut cli).await;
        cli.state("running").await;
        cli.assistant("more").await;
        assert_reaches_the_host(&mut cli).await;
        cli.result("second").await;
        assert_reaches_the_host(&mut cli).await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "second", "the last result is returned");
}

#[tokio::test(start_paused = true)]
async fn cli_without_session_states_gets_eof_at_its_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("hello").transport(transport).await?.text().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.assistant("hi").await;
        cli.result("hi").await;
        let ((), took) = timed(cli.expect_end_of_input()).await;
        assert_eq!(took, seconds(0));
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "hi");
}

#[tokio::test(start_paused = true)]
async fn promise_02_background_agent_keeps_stdin_open() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = reachable().background_ceiling(seconds(30));
        let asked = query("hello").options(options).transport(transport);
        asked.await?.text().await
    };
    let cli = async move {
        let task = |subtype: &str| {
            json!({
                "type": "system",
                "subtype": subtype,
                "task_id": "a1",
                "task_type": "local_agent",
                "status": "completed",
            })
        };
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.send(task("task_started")).await;
        cli.result("started").await;
        cli.state("idle").await;
        assert_reaches_the_host(&mut cli).await;
        // The ceiling does not apply while the agent runs.
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_reaches_the_host(&mut cli).await;
        cli.send(task("task_notification")).await;
        assert_reaches_the_host(&mut cli).await;
        cli.state("running").await;
        cli.assistant("it is done").await;
        cli.result("it is done").await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "it is done");
}

#[tokio::test(start_paused = true)]
async fn idle_background_beyond_the_ceiling_closes_stdin() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new().background_ceiling(seconds(30));
        let asked = query("hello").options(options).transport(transport);
        asked.await?.text().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.result("done").await;
        let ((), took) = timed(cli.expect_end_of_input()).await;
        assert_eq!(took, seconds(30));
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "done");
}

#[tokio::test(start_paused = true)]
async fn maximum_durations_are_accepted() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new()
            .background_ceiling(Duration::MAX)
            .connect_timeout(Duration::MAX)
            .control_timeout(Duration::MAX)
            .shutdown(
                ShutdownTiming::default()
                    .grace(Duration::MAX)
                    .term(Duration::MAX),
            );
        let messages = query("hello").options(options).transport(transport).await?;
        let control = messages.control().clone();
        let answer = messages.text().await?;
        control.close().await?;
        Ok::<_, inhouse::Error>(answer)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("done").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "done");
}

#[tokio::test(start_paused = true)]
async fn dropped_stream_shuts_the_cli_down_in_steps() {
    let (transport, mut cli) = FakeCli::new();
    let timing = ShutdownTiming::default().grace(seconds(3)).term(seconds(4));
    let host = async {
        let asked = query("hello").options(Options::new().shutdown(timing));
        let mut messages = asked.transport(transport).await.unwrap();
        read(&mut messages, 1).await;
        drop(messages);
    };
    let cli = async move {
        cli.ignore_terminate();
        cli.accept().await;
        cli.expect_prompt().await;
        // The turn has ended but the run has not: the session is not idle.
        cli.state("running").await;
        cli.send(result_with(&cli, json!({}))).await;
        cli.expect_end_of_input().await;
        let start = Instant::now();
        cli.expect_terminate().await;
        assert_eq!(start.elapsed(), seconds(3));
        cli.expect_kill().await;
        assert_eq!(start.elapsed(), seconds(7));
    };
    join(host, cli).await;
}
