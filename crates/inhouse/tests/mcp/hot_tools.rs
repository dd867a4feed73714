//! Tools that are added and removed during a session.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use inhouse::error::ErrorKind;
use inhouse::process::ExitStatus;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};

use crate::probe::endless;
use crate::support::{call, exchange, request, server_message, text};

/// Polls a future once; returns whether it is ready, and with a success.
fn is_done(future: impl Future<Output = inhouse::Result<()>>) -> bool {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.map(|()| true).expect("no failure"),
        Poll::Pending => false,
    }
}

fn say(line: &'static str) -> Tool {
    Tool::new("say", "Says its line", async move || line)
}

/// Expects the notification that the tools have changed; returns the new names.
async fn listed_again(cli: &mut FakeCli, server: &str) -> Vec<String> {
    expect_change(cli, server).await;
    list(cli, server).await
}

/// Expects the notification that the tools of a server have changed.
async fn expect_change(cli: &mut FakeCli, server: &str) {
    let method = "notifications/tools/list_changed";
    let news = json!({"jsonrpc": "2.0", "method": method, "params": {}});
    assert_eq!(server_message(cli).await, (server.to_owned(), news));
}

/// Lists the tools of a server; returns their names.
async fn list(cli: &mut FakeCli, server: &str) -> Vec<String> {
    let list = exchange(cli, server, request("list", "tools/list", json!({}))).await;
    let tools = list["result"]["tools"].as_array().expect("a list");
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    tools.iter().map(name).collect()
}

#[tokio::test(start_paused = true)]
async fn added_tool_can_be_called_and_removed_tool_cannot() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (step, mut steps) = tokio::sync::mpsc::unbounded_channel::<()>();
    FakeCli::play(
        Options::new().tool_server(server),
        async |_| {
            tools.put(say("one")).unwrap();
            steps.recv().await;
            tools.put(say("two")).unwrap();
            steps.recv().await;
            assert!(tools.remove("say"));
            assert!(!tools.remove("say"), "a second removal returns false");
            steps.recv().await;
            Ok(())
        },
        async |cli| {
            for line in ["one", "two"] {
                assert_eq!(listed_again(cli, "s").await, ["say"]);
                let said = exchange(cli, "s", call(2, "say", json!({}))).await;
                assert_eq!(said, text(2, line));
                step.send(()).unwrap();
            }
            assert!(listed_again(cli, "s").await.is_empty());
            let gone = cli.call_tool("s", "say", json!({})).await;
            assert!(gone.is_error);
            assert!(gone.all_text().contains("`say`"), "{}", gone.all_text());
            step.send(()).unwrap();
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_removed_tool_continue() {
    let (wait, mut journal) = endless("wait");
    let server = ToolServer::new("s").tool(wait);
    let tools = server.handle();
    FakeCli::play(
        Options::new().tool_server(server),
        async |_| {
            assert_eq!(journal.next().await, "toolu_1 began");
            tools.remove("wait");
            Ok(())
        },
        async |cli| {
            cli.begin_tool_call("s", "wait", json!({})).await;
            assert!(listed_again(cli, "s").await.is_empty());
            cli.ignore("control_response");
        },
    )
    .await;
    journal.expect_stopped("toolu_1").await;
}

#[tokio::test(start_paused = true)]
async fn list_changed_is_sent_after_the_handshake() {
    let server = ToolServer::new("s").tool(say("before"));
    let tools = server.handle();
    let (transport, mut cli) = FakeCli::new();
    let (through, until_through) = tokio::sync::oneshot::channel::<()>();
    let host = async {
        let options = Options::new().tool_server(server);
        let client = Client::connect_with(options, transport).await.unwrap();
        until_through.await.expect_err("it is only dropped");
        client.close().await.unwrap();
    };
    let cli = async move {
        let introduction = cli.expect_request("initialize").await;
        let manifest = &introduction.body()["sdkMcpServerManifests"]["s"]["toolsListResult"];
        assert_eq!(manifest["tools"][0]["name"], "say");
        tools.remove("say");
        // There is time for a notification, but none must be sent.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let asked = cli.ask(json!({"subtype": "no_such_thing"})).await;
        cli.expect_answer(&asked).await;
        introduction.succeed(json!({})).await;
        assert!(listed_again(&mut cli, "s").await.is_empty());
        drop(through);
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn change_is_announced_before_the_next_prompt() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            tools.put(say("hello")).unwrap();
            client.send("One.").await.unwrap().finish().await.unwrap();
            tools.remove("say");
            client.send("Two.").await.unwrap().finish().await.unwrap();
            Ok(())
        },
        async |cli| {
            for names in [&["say"][..], &[]] {
                expect_change(cli, "s").await;
                cli.expect_prompt().await;
                assert_eq!(list(cli, "s").await, names);
                cli.turn("Done.").await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn listed_returns_at_once_without_a_session() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    tools.put(say("hello")).unwrap();
    assert!(is_done(tools.listed()));
    let _router = server.router();
    tools.remove("say");
    assert!(is_done(tools.listed()));
}

#[tokio::test(start_paused = true)]
async fn listed_waits_until_the_cli_has_the_new_listing() {
    let server = ToolServer::new("s").tool(say("old"));
    let tools = server.handle();
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert!(is_done(tools.listed()), "the CLI has the manifest");
            tools.put(say("new")).unwrap();
            assert!(!is_done(tools.listed()));
            tools.listed().await.unwrap();
            assert!(is_done(tools.listed()), "nothing has changed since then");
            client.send("Go.").await.unwrap().finish().await.unwrap();
            Ok(())
        },
        async |cli| {
            // The response to `tools/list` is written before a prompt that is sent after `listed`.
            assert_eq!(listed_again(cli, "s").await, ["say"]);
            cli.expect_prompt().await;
            cli.turn("Done.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn listed_fails_when_the_cli_does_not_list_in_time() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let limit = Duration::from_secs(7);
    FakeCli::play(
        Options::new().tool_server(server).control_timeout(limit),
        async |_| {
            let began = tokio::time::Instant::now();
            tools.put(say("hello")).unwrap();
            let error = tools.listed().await.expect_err("it is never listed");
            assert_eq!(error.kind(), ErrorKind::Timeout);
            assert_eq!(began.elapsed(), limit);
            Ok(())
        },
        async |cli| {
            server_message(cli).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn listed_does_not_keep_a_dropped_session_alive() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (transport, mut cli) = FakeCli::new();
    let (read, mut announced) = tokio::sync::mpsc::unbounded_channel();
    let host = async {
        let options = Options::new().tool_server(server);
        let mut client = Client::connect_with(options, transport).await.unwrap();
        drop(client.send("Go.").await.unwrap());
        tools.put(say("hello")).unwrap();
        let listed = tools.listed();
        announced.recv().await;
        drop(client);
        listed.await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        server_message(&mut cli).await;
        read.send(()).expect("the host waits");
        cli.expect_kill().await;
    };
    let began = tokio::time::Instant::now();
    tokio::join!(host, cli);
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn listed_accepts_the_maximum_timeout() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    FakeCli::play(
        Options::new()
            .tool_server(server)
            .control_timeout(Duration::MAX),
        async |_| {
            tools.put(say("hello")).unwrap();
            tools.listed().await.unwrap();
            Ok(())
        },
        async |cli| {
            listed_again(cli, "s").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn listed_does_not_wait_for_a_session_that_ends() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().tool_server(server);
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        let began = tokio::time::Instant::now();
        tools.put(say("hello")).unwrap();
        tools.listed().await.expect("the session has ended");
        assert!(began.elapsed() < Duration::from_secs(60));
        drop(client);
    };
    let cli = async move {
        cli.accept().await;
        server_message(&mut cli).await;
        cli.exit(ExitStatus::with_code(0));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn every_session_of_a_server_is_notified() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (left, mut left_cli) = FakeCli::new();
    let (right, mut right_cli) = FakeCli::new();
    let host = async {
        let options = || Options::new().tool_server(server.clone());
        let (left, right) = tokio::join!(
            Client::connect_with(options(), left),
            Client::connect_with(options(), right),
        );
        tools.put(say("hello")).unwrap();
        (left.unwrap(), right.unwrap())
    };
    let clis = async {
        tokio::join!(left_cli.accept(), right_cli.accept());
    };
    let (clients, ()) = join(host, clis).await;
    for cli in [&mut left_cli, &mut right_cli] {
        assert_eq!(listed_again(cli, "s").await, ["say"]);
    }
    drop(clients);
}
