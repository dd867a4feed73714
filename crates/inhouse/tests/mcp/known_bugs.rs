//! One test for each bug known from other SDKs.

use inhouse::message::{GapReason, Message};
use inhouse::tool::{Content, Tool, ToolError, ToolServer};
use inhouse::{ErrorKind, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake;
use serde_json::{Value, json};

use crate::probe::endless;
use crate::support::{call, cancelled, exchange, request, response, text};

fn server() -> ToolServer {
    ToolServer::new("s")
        .tool(Tool::new("fine", "Fine", async || "fine"))
        .tool(Tool::new("fail", "Fail", async || -> Result<(), _> {
            Err(ToolError::new("no"))
        }))
        .tool(Tool::new("panic", "Panic", async || -> String {
            panic!("boom")
        }))
        .tool(Tool::new("image", "Image", async || {
            Content::image("image/png", "aGk=")
        }))
}

fn options() -> Options {
    Options::new().tool_server(server())
}

#[tokio::test(start_paused = true)]
async fn error_unknown_method_and_panic_each_get_a_response() {
    FakeCli::play_cli(options(), async |cli| {
        for (id, message) in [
            call(1, "fail", json!({})),
            request(2, "tools/brew", json!({})),
            call(3, "panic", json!({})),
            call(4, "fine", json!({})),
        ]
        .into_iter()
        .enumerate()
        {
            let answer = exchange(cli, "s", message).await;
            assert_eq!(answer["id"], id as u64 + 1, "{answer}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn result_members_have_their_wire_names() {
    FakeCli::play_cli(options(), async |cli| {
        let fine = exchange(cli, "s", call(1, "fine", json!({}))).await;
        assert_eq!(fine["result"].get("isError"), None, "not even null");
        assert_eq!(fine["result"].get("is_error"), None);
        let failed = exchange(cli, "s", call(2, "fail", json!({}))).await;
        assert_eq!(failed["result"]["isError"], true);
        let image = exchange(cli, "s", call(3, "image", json!({}))).await;
        let block = &image["result"]["content"][0];
        assert_eq!(block["mimeType"], "image/png");
        assert_eq!(block.get("mime_type"), None);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn slow_tool_delays_neither_calls_nor_interrupt() {
    let (slow, _probe) = endless("slow");
    let options = Options::new().tool_server(server().tool(slow));
    FakeCli::play(
        options,
        async |client| {
            client
                .control()
                .interrupt()
                .await
                .expect("the request succeeds at once");
            Ok(())
        },
        async |cli| {
            cli.mcp_message("s", call(1, "slow", json!({}))).await;
            cli.expect_request("interrupt").await.succeed_empty().await;
            let other = exchange(cli, "s", call(2, "fine", json!({}))).await;
            assert_eq!(other, text(2, "fine"));
            // The slow call still runs: only its cancellation ends it.
            cli.mcp_message("s", cancelled(1)).await;
            cli.expect_any_answer().await;
            cli.expect_any_answer().await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn session_has_no_total_byte_limit() {
    const MEGABYTE: usize = 1 << 20;
    FakeCli::play(
        options(),
        async |client| {
            let mut turn = client.send("talk").await.expect("a turn");
            let mut bytes = 0;
            while let Some(message) = turn.next().await {
                if let Message::Assistant(message) = message.expect("no error") {
                    bytes += message.text().len();
                }
            }
            assert_eq!(bytes, 12 * MEGABYTE);
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            for _ in 0..12 {
                cli.assistant(&"x".repeat(MEGABYTE)).await;
            }
            let still = exchange(cli, "s", call(1, "fine", json!({}))).await;
            assert_eq!(still, text(1, "fine"));
            cli.result("done").await;
            cli.state("idle").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn refused_control_request_is_an_error() {
    FakeCli::play(
        options(),
        async |client| {
            let refused = client.control().set_model(Some("gpt")).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Refused);
            assert!(refused.to_string().contains("no such model"), "{refused}");
            Ok(())
        },
        async |cli| {
            let asked = cli.expect_request("set_model").await;
            asked.refuse("no such model", None).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn control_request_fails_on_exit_and_on_timeout() {
    let (transport, mut cli) = inhouse_testkit::FakeCli::new();
    let host = async {
        let client = inhouse::Client::connect_with(options(), transport).await;
        let client = client.expect("the session opens");
        let control = client.control();
        let silent = control.interrupt().await.unwrap_err();
        assert_eq!(silent.kind(), ErrorKind::Timeout);
        let dead = control.interrupt().await.unwrap_err();
        assert_eq!(dead.kind(), ErrorKind::Exited);
    };
    let cli = async move {
        cli.accept().await;
        let unanswered = cli.expect_request("interrupt").await;
        assert_eq!(cli.expect_cancel().await, unanswered.id());
        let _until_it_dies = cli.expect_request("interrupt").await;
        cli.exit(ExitStatus::with_code(3));
    };
    fake::join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn slow_reader_loses_no_message_around_a_control_request() {
    const COUNT: usize = 1_501;
    FakeCli::play(
        options(),
        async |client| {
            let control = client.control().clone();
            let mut turn = client.send("count").await.expect("a turn");
            // Answered after all messages were sent, none of which has been read.
            control.set_model(None).await.expect("the CLI agrees");
            let mut received = Vec::new();
            while let Some(message) = turn.next().await {
                if let Message::Assistant(message) = message.expect("no error") {
                    received.push(message.text().into_owned());
                }
            }
            let said: Vec<String> = (0..COUNT).map(|number| number.to_string()).collect();
            assert_eq!(received, said);
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            let asked = cli.expect_request("set_model").await;
            for number in 0..COUNT {
                cli.assistant(&number.to_string()).await;
            }
            asked.succeed_empty().await;
            cli.result("done").await;
            cli.state("idle").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn line_that_is_not_json_affects_no_other() {
    FakeCli::play(
        options(),
        async |client| {
            let mut turn = client.send("hello").await.expect("a turn");
            let mut gaps = 0;
            let mut texts = String::new();
            while let Some(message) = turn.next().await {
                match message.expect("no error") {
                    Message::Gap(gap) if gap.reason == GapReason::NotJson => gaps += 1,
                    Message::Assistant(message) => texts += &message.text(),
                    _ => {}
                }
            }
            assert_eq!((gaps, texts.as_str()), (1, "fine"));
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.send_bytes(b"Warning: {not json\n").await;
            let still = exchange(cli, "s", call(1, "fine", json!({}))).await;
            assert_eq!(still, text(1, "fine"));
            cli.assistant("fine").await;
            cli.result("fine").await;
            cli.state("idle").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn exit_of_the_cli_is_an_error() {
    let (transport, mut cli) = inhouse_testkit::FakeCli::new();
    let host = async {
        let client = inhouse::Client::connect_with(options(), transport).await;
        let mut client = client.expect("the session opens");
        let turn = client.send("hello").await.expect("a turn");
        let error = turn.finish().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.stderr_tail(), Some("out of memory"));
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.stderr("out of memory\n");
        cli.exit(ExitStatus::with_code(0));
    };
    fake::join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn protocol_version_is_negotiated_and_ping_is_answered() {
    FakeCli::play_cli(options(), async |cli| {
        for version in ["2024-11-05", "2025-06-18"] {
            let params = json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "cli", "version": "1"},
            });
            let asked = cli.mcp_message("s", request(1, "initialize", params)).await;
            let answer: Value = response(cli, &asked).await;
            assert_eq!(answer["result"]["protocolVersion"], version);
        }
        let pong = exchange(cli, "s", request(2, "ping", json!({}))).await;
        assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    })
    .await;
}
