//! Concurrent tool calls.

use std::sync::Arc;

use inhouse::Options;
use inhouse::tool::{CallId, Input, Progress, Tool, ToolServer};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::{Barrier, mpsc, watch};

use crate::probe::endless;
use crate::support::{call, request, response, server_message, text};

/// A tool whose calls end only if all run concurrently.
fn rendezvous(count: usize) -> Tool {
    let barrier = Arc::new(Barrier::new(count));
    Tool::new("meet", "Meets the others", move |CallId(id)| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            id
        }
    })
}

#[tokio::test(start_paused = true)]
async fn promise_07_calls_run_concurrently() {
    const COUNT: usize = 100;
    let options = Options::new().tool_server(ToolServer::new("s").tool(rendezvous(COUNT)));
    FakeCli::play_cli(options, async |cli| {
        let mut asked = Vec::new();
        for id in 0..COUNT {
            asked.push(cli.mcp_message("s", call(id, "meet", json!({}))).await);
        }
        for _ in 0..COUNT {
            let (id, answer) = cli.expect_any_answer().await;
            let at = asked.iter().position(|asked| *asked == id);
            let at = at.expect("a response to one of them");
            assert_eq!(answer.payload()["mcp_response"], text(at, ""));
            asked[at] = "answered".to_owned();
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn promise_08_each_call_gets_its_own_response_in_any_order() {
    const COUNT: u64 = 100;
    let next = watch::Sender::new(COUNT - 1);
    let last_first = Tool::new(
        "wait",
        "Waits for its turn",
        move |Input(value): Input<Value>| {
            let next = next.clone();
            async move {
                let number = value["number"].as_u64().expect("a number");
                let mut turns = next.subscribe();
                let turn = turns.wait_for(|turn| *turn == number).await;
                drop(turn.expect("the sender is alive"));
                next.send_modify(|turn| *turn = turn.wrapping_sub(1));
                number
            }
        },
    );
    let options = Options::new().tool_server(ToolServer::new("s").tool(last_first));
    FakeCli::play_cli(options, async |cli| {
        let mut asked = Vec::new();
        for number in 0..COUNT {
            let message = call(number, "wait", json!({"number": number}));
            asked.push(cli.mcp_message("s", message).await);
        }
        for number in (0..COUNT).rev() {
            let answer = response(cli, &asked[number as usize]).await;
            assert_eq!(answer, text(number, &number.to_string()));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn slow_tool_delays_neither_other_tools_nor_control() {
    let (wait, mut journal) = endless("wait");
    let server =
        ToolServer::new("s")
            .tool(wait)
            .tool(Tool::new("quick", "Is quick", async || "done"));
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            client.control().set_model(Some("opus")).await.unwrap();
            client.control().interrupt().await.unwrap();
            journal.expect_nothing();
            Ok(())
        },
        async |cli| {
            cli.begin_tool_call("s", "wait", json!({})).await;
            cli.expect_request("set_model").await.succeed_empty().await;
            let quick = cli.call_tool("s", "quick", json!({})).await;
            assert_eq!(quick.all_text(), "done");
            let interrupt = cli.expect_request("interrupt").await;
            interrupt.succeed(json!({"still_queued": []})).await;
            let refused = cli.ask(json!({"subtype": "no_such_thing"})).await;
            cli.expect_answer(&refused).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn panic_is_an_error_result_and_the_session_survives() {
    let server = ToolServer::new("s")
        .tool(Tool::new("panic", "Panics", async || -> String {
            panic!("out of cheese")
        }))
        .tool(rendezvous(2));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let waiting = cli.begin_tool_call("s", "meet", json!({})).await;
        let panicked = cli.call_tool("s", "panic", json!({})).await;
        assert!(panicked.is_error);
        assert_eq!(panicked.all_text(), "the tool `panic` failed: it panicked");
        let other = cli.begin_tool_call("s", "meet", json!({})).await;
        let mut answered = Vec::new();
        for _ in 0..2 {
            let (asked, answer) = cli.expect_any_answer().await;
            let response = &answer.payload()["mcp_response"];
            assert_eq!(response["result"].get("isError"), None, "{response}");
            answered.push(asked);
        }
        answered.sort();
        let mut expected = [waiting.request_id(), other.request_id()];
        expected.sort_unstable();
        assert_eq!(answered, expected);
    })
    .await;
}

fn reporting() -> Options {
    let tool = Tool::new("work", "Reports", async |progress: Progress| {
        progress.report(1.0, 3.0);
        progress.report_with_message(2.0, None, "half-way");
        tokio::task::yield_now().await;
        progress.report_with_message(3.0, 3.0, "through");
        "done"
    });
    Options::new().tool_server(ToolServer::new("s").tool(tool))
}

/// Returns the next progress notification of the server.
async fn reported(cli: &mut FakeCli) -> Value {
    let (server, mut message) = server_message(cli).await;
    assert_eq!(server, "s");
    let params = message["params"].take();
    let bare = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": null});
    assert_eq!(message, bare, "no id: it wants no answer");
    params
}

#[tokio::test(start_paused = true)]
async fn progress_reaches_the_cli_with_its_token_and_in_order() {
    FakeCli::play_cli(reporting(), async |cli| {
        // Repeated, because the last notification and the response are ready at the same time.
        let numbers = (0..20).map(Value::from);
        for token in numbers.chain([json!("a token")]) {
            let params = json!({
                "name": "work",
                "arguments": {},
                "_meta": {"progressToken": token},
            });
            let asked = cli.mcp_message("s", request(7, "tools/call", params)).await;
            let first = json!({"progressToken": token, "progress": 1.0, "total": 3.0});
            assert_eq!(reported(cli).await, first);
            let second = json!({"progressToken": token, "progress": 2.0, "message": "half-way"});
            assert_eq!(reported(cli).await, second);
            let third = json!({
                "progressToken": token,
                "progress": 3.0,
                "total": 3.0,
                "message": "through",
            });
            assert_eq!(reported(cli).await, third);
            assert_eq!(response(cli, &asked).await, text(7, "done"));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn responses_ready_together_are_sent_in_completion_order() {
    // More than the host processes in one poll.
    const COUNT: usize = 200;
    let barrier = Arc::new(Barrier::new(COUNT));
    let (done, mut came) = mpsc::unbounded_channel();
    let meet = Tool::new(
        "meet",
        "Meets the others",
        move |Input(id): Input<Value>| {
            let (barrier, done) = (Arc::clone(&barrier), done.clone());
            async move {
                barrier.wait().await;
                done.send(id["id"].clone())
                    .expect("the test holds the receiver");
            }
        },
    );
    let options = Options::new().tool_server(ToolServer::new("s").tool(meet));
    FakeCli::play_cli(options, async |cli| {
        for id in 0..COUNT {
            cli.mcp_message("s", call(id, "meet", json!({"id": id})))
                .await;
        }
        for _ in 0..COUNT {
            let (_, answer) = cli.expect_any_answer().await;
            let id = answer.payload()["mcp_response"]["id"].take();
            assert_eq!(Some(id), came.recv().await);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn progress_without_a_token_is_not_sent() {
    FakeCli::play_cli(reporting(), async |cli| {
        let asked = cli.mcp_message("s", call(7, "work", json!({}))).await;
        assert_eq!(response(cli, &asked).await, text(7, "done"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn two_servers_can_have_tools_with_one_name() {
    let server = |name: &'static str| {
        let tool = Tool::new("who", "Tells where it is", async move || name);
        ToolServer::new(name).tool(tool)
    };
    let options = Options::new()
        .tool_server(server("left"))
        .tool_server(server("right"));
    FakeCli::play_cli(options, async |cli| {
        // Ids are per server.
        let left = cli.mcp_message("left", call(2, "who", json!({}))).await;
        let right = cli.mcp_message("right", call(2, "who", json!({}))).await;
        for _ in 0..2 {
            let (asked, answer) = cli.expect_any_answer().await;
            let name = if asked == left { "left" } else { "right" };
            assert!(asked == left || asked == right);
            assert_eq!(answer.payload()["mcp_response"], text(2, name));
        }
    })
    .await;
}
