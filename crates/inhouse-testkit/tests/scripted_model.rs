//! The scripted model, alone and with the real CLI at its other end.

use std::{process::Stdio, time::Duration};

use inhouse_testkit::{
    Isolation, ModelRequest, RealCli, ScriptedModel, Turn,
    model::{RequestKind, Usage},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout},
    time::timeout,
};

/// Generous, since it only bounds failures: a run of the CLI takes about a second.
const DEADLINE: Duration = Duration::from_secs(60);

mod alone {
    use super::*;

    #[tokio::test]
    async fn streamed_turn_has_the_api_events_in_order() {
        let model = ScriptedModel::start().await.unwrap();
        let turn = Turn::new()
            .thinking("hm")
            .text("four")
            .tool_use("toolu_1", "Bash", json!({ "command": "ls" }))
            .usage(Usage::new(7, 9).cache_read(3))
            .pieces(1);
        model.turn(turn);
        let response = post(
            &model,
            "/v1/messages?beta=true",
            json!({ "model": "m", "stream": true }),
        )
        .await;
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some("text/event-stream"));
        let events = response.events();
        let types: Vec<&str> = events
            .iter()
            .map(|event| event["type"].as_str().unwrap())
            .collect();
        assert_eq!(
            types,
            [
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_delta",
                "content_block_stop",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop",
            ]
        );
        assert_eq!(events[0]["message"]["model"], "m");
        assert_eq!(events[0]["message"]["usage"]["cache_read_input_tokens"], 3);
        assert_eq!(events[3]["delta"]["type"], "signature_delta");
        assert_eq!(events[11]["delta"]["stop_reason"], "tool_use");
        assert_eq!(events[11]["usage"]["output_tokens"], 9);
        model.assert_done();
    }

    #[tokio::test]
    async fn message_is_complete_without_streaming() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("four").stop_reason("max_tokens"));
        let response = post(&model, "/v1/messages", json!({ "model": "m" })).await;
        let message = response.json();
        assert_eq!(
            message["content"],
            json!([{ "type": "text", "text": "four" }])
        );
        assert_eq!(message["stop_reason"], "max_tokens");
        assert_eq!(message["role"], "assistant");
    }

    #[tokio::test]
    async fn error_has_its_status_its_type_and_its_headers() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(
            Turn::error(429)
                .retry_after(Duration::from_secs(7))
                .message("slow down"),
        );
        let response = post(&model, "/v1/messages", json!({ "stream": true })).await;
        assert_eq!(
            (response.status, response.header("retry-after")),
            (429, Some("7"))
        );
        let expected = json!({ "type": "rate_limit_error", "message": "slow down" });
        assert_eq!(response.json()["error"], expected);
    }

    #[tokio::test]
    async fn error_can_interrupt_a_stream() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("half").fail(Turn::error(529)));
        let events = post(&model, "/v1/messages", json!({ "stream": true }))
            .await
            .events();
        let last = events.last().unwrap();
        assert_eq!(
            (&last["type"], &last["error"]["type"]),
            (&json!("error"), &json!("overloaded_error"))
        );
        assert!(
            events
                .iter()
                .any(|event| event["delta"]["text"].is_string()),
            "{events:?}"
        );
    }

    #[tokio::test]
    async fn exhausted_script_is_an_api_error_and_fails_assert_done() {
        let model = ScriptedModel::start().await.unwrap();
        let response = post(&model, "/v1/messages", json!({ "stream": true })).await;
        assert_eq!(
            (response.status, response.header("x-should-retry")),
            (500, Some("false"))
        );
        let message = response.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            message.contains("the script of the model is exhausted"),
            "{message}"
        );
        assert_eq!(model.unexpected().len(), 1);
        let assertion =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.assert_done()));
        assert!(assertion.is_err());
    }

    #[tokio::test]
    async fn unused_turns_fail_assert_done() {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn("one")
            .once(|_| false, "two")
            .when(|_| false, "three");
        assert_eq!(model.remaining(), 2);
        let assertion =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.assert_done()));
        assert!(assertion.is_err());
    }

    #[tokio::test]
    async fn otherwise_answers_requests_beyond_the_script() {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn("first")
            .otherwise(|request| format!("you said {}", request.last_user_text().unwrap()));
        let ask = async |text: &str| {
            let body = json!({ "messages": [{ "role": "user", "content": text }] });
            post(&model, "/v1/messages", body).await.json()["content"][0]["text"].clone()
        };
        assert_eq!(ask("a").await, "first");
        assert_eq!(ask("b").await, "you said b");
        model.assert_done();
    }

    #[tokio::test]
    async fn rules_precede_the_script_and_once_applies_once() {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn("script")
            .once(|request| request.model() == "small", "first")
            .once(|request| request.model() == "small", "second")
            .when(|request| request.model() == "small", "always");
        let mut said = Vec::new();
        for name in ["small", "big", "small", "small", "small"] {
            let message = post(&model, "/v1/messages", json!({ "model": name }))
                .await
                .json();
            said.push(message["content"][0]["text"].as_str().unwrap().to_owned());
        }
        assert_eq!(said, ["first", "script", "second", "always", "always"]);
        model.assert_done();
    }

    #[tokio::test]
    async fn side_requests_are_answered_without_a_turn() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn("untouched");
        let count = post(
            &model,
            "/v1/messages/count_tokens?beta=true",
            json!({ "messages": [] }),
        )
        .await;
        assert!(
            count.json()["input_tokens"]
                .as_u64()
                .is_some_and(|tokens| tokens > 0)
        );
        let schema = json!({ "type": "object", "required": ["title"], "properties": { "title": { "type": "string" } } });
        let format = json!({ "type": "json_schema", "schema": schema });
        let title = post(
            &model,
            "/v1/messages",
            json!({ "output_config": { "format": format } }),
        )
        .await;
        assert_eq!(
            title.json()["content"][0]["text"],
            r#"{"title":"scripted"}"#
        );
        assert_eq!(send(&model, "HEAD", "/", "").await.status, 200);
        let unknown = send(&model, "GET", "/api/hello", "").await;
        assert_eq!(
            (unknown.status, &unknown.json()["error"]["type"]),
            (404, &json!("not_found_error"))
        );

        let kinds: Vec<_> = model.requests().iter().map(ModelRequest::kind).collect();
        assert_eq!(
            kinds,
            [
                RequestKind::CountTokens,
                RequestKind::Structured,
                RequestKind::Reachability,
                RequestKind::Unknown,
            ]
        );
        assert_eq!((model.remaining(), model.conversation().len()), (1, 0));
        assert_eq!(model.unexpected()[0].path(), "/api/hello");
    }

    #[tokio::test]
    async fn request_is_recorded_unchanged() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn("ok");
        let body = json!({
            "model": "claude-x",
            "stream": true,
            "system": [{ "type": "text", "text": "Be brief." }, { "type": "text", "text": "Be kind." }],
            "tools": [{ "name": "Bash" }, { "name": "Read" }],
            "messages": [{ "role": "user", "content": "Hello" }],
        });
        let (_, request) = tokio::join!(
            post(&model, "/v1/messages?beta=true", body.clone()),
            model.next_request(DEADLINE)
        );
        let request = request.unwrap();
        assert_eq!(
            (request.path(), request.query()),
            ("/v1/messages", Some("beta=true"))
        );
        assert_eq!((request.model(), request.is_stream()), ("claude-x", true));
        assert_eq!(request.system_text(), "Be brief.\nBe kind.");
        assert_eq!(request.tools(), ["Bash", "Read"]);
        assert_eq!(request.last_user_text().as_deref(), Some("Hello"));
        assert_eq!(
            (request.body(), request.header("X-Test")),
            (&body, Some("yes"))
        );
    }

    #[tokio::test]
    async fn wait_ends_at_the_deadline_with_the_received_requests() {
        let model = ScriptedModel::start().await.unwrap();
        send(&model, "HEAD", "/", "").await;
        let error = model
            .next_request(Duration::from_millis(1))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("HEAD / (Reachability)"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn stalled_turn_continues_when_released_and_blocks_no_other() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("slow").stall()).turn("quick");
        let slow = post(&model, "/v1/messages", json!({ "stream": true }));
        let meanwhile = async {
            model.next_request(DEADLINE).await.unwrap();
            let quick = post(&model, "/v1/messages", json!({ "stream": true })).await;
            assert_eq!(quick.events().last().unwrap()["type"], "message_stop");
            model.release();
        };
        let (slow, ()) = tokio::join!(slow, meanwhile);
        assert_eq!(slow.events().last().unwrap()["type"], "message_stop");
    }

    #[tokio::test]
    async fn disconnect_delivers_earlier_parts() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("half").disconnect());
        let mut stream = connect(&model).await;
        stream.write_all(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 15\r\n\r\n{\"stream\":true}").await.unwrap();
        let mut raw = Vec::new();
        timeout(DEADLINE, stream.read_to_end(&mut raw))
            .await
            .unwrap()
            .unwrap();
        let raw = String::from_utf8(raw).unwrap();
        assert!(
            raw.contains("text_delta") && !raw.contains("content_block_stop"),
            "{raw}"
        );
        assert!(!raw.ends_with("0\r\n\r\n"), "a cut is not an end: {raw}");
    }

    #[tokio::test]
    async fn client_disconnect_is_recorded() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().stall()).turn("still here");
        let mut stream = connect(&model).await;
        let request = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 28\r\n\r\n{\"model\":\"a\",\"stream\":true }";
        stream.write_all(request).await.unwrap();
        model.next_request(DEADLINE).await.unwrap();
        drop(stream);
        assert_eq!(model.next_disconnect(DEADLINE).await.unwrap().model(), "a");

        let mut half_a_request = connect(&model).await;
        half_a_request
            .write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 99\r\n\r\n{")
            .await
            .unwrap();
        drop(half_a_request);
        let message = post(&model, "/v1/messages", json!({})).await.json();
        assert_eq!(message["content"][0]["text"], "still here");
    }

    #[tokio::test]
    async fn concurrent_clients_get_one_turn_each() {
        let model = ScriptedModel::start().await.unwrap();
        let mut clients = tokio::task::JoinSet::new();
        for number in 0..50 {
            model.turn(number.to_string());
            let exchange = exchange(
                model.base_url(),
                "POST",
                "/v1/messages",
                r#"{"stream":true}"#.to_owned(),
            );
            clients.spawn(async move { exchange.await.events() });
        }
        let mut answers: Vec<u32> = clients
            .join_all()
            .await
            .iter()
            .map(|events| {
                let text: String = events
                    .iter()
                    .filter_map(|event| event["delta"]["text"].as_str())
                    .collect();
                text.parse().unwrap()
            })
            .collect();
        answers.sort_unstable();
        assert_eq!(answers, (0..50).collect::<Vec<_>>());
        model.assert_done();
    }

    #[tokio::test]
    async fn dropping_the_model_closes_its_connections() {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().stall());
        let mut stream = connect(&model).await;
        stream
            .write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 15\r\n\r\n{\"stream\":true}")
            .await
            .unwrap();
        model.next_request(DEADLINE).await.unwrap();
        let address = model.base_url().replace("http://", "");
        drop(model);
        let mut rest = Vec::new();
        // A reset is as good an end as a clean one.
        let _ = timeout(DEADLINE, stream.read_to_end(&mut rest))
            .await
            .unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }
}

/// Runs each scenario with both versions of the CLI.
macro_rules! with_both_versions {
    ($($scenario:ident),* $(,)?) => {
        mod pinned { $(
            #[tokio::test]
            async fn $scenario() {
                super::scenarios::$scenario(inhouse_testkit::RealCli::pinned().unwrap_or_else(|error| panic!("{error}"))).await;
            }
        )* }
        mod oldest { $(
            #[tokio::test]
            async fn $scenario() {
                super::scenarios::$scenario(inhouse_testkit::RealCli::oldest().unwrap_or_else(|error| panic!("{error}"))).await;
            }
        )* }
    };
}

with_both_versions! {
    a_text_turn,
    a_tool_is_run_and_the_model_sees_its_result,
    overload_is_retried,
    a_server_error_that_stays_ends_the_turn,
    thinking_and_partial_messages_arrive,
    a_cli_killed_in_a_stalled_turn_lets_go_of_the_model,
    a_stalled_turn_is_finished_after_release,
    a_disconnect_is_retried,
    titles_and_context_usage_take_no_turn,
    a_conversation_without_tools_is_scripted_too,
    a_script_that_has_run_out_ends_the_turn_at_once,
    a_compaction_takes_a_turn_of_the_script,
    a_full_context_window_is_compacted_by_itself,
    a_subagent_can_have_a_script_of_its_own,
    an_interrupted_turn_lets_go_of_the_model,
}

mod scenarios {
    use super::*;

    pub(super) async fn a_text_turn(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn("42");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("What is the answer?").await;
        let init = session.frame("system", "init").await;
        assert_eq!(init["cwd"].as_str(), isolation.cwd().to_str());
        let result = session.frame("result", "success").await;
        assert_eq!(
            (&result["result"], &result["is_error"]),
            (&json!("42"), &json!(false))
        );
        assert!(session.finish().await);

        let conversation = model.conversation();
        assert_eq!(conversation.len(), 1);
        assert_eq!(
            conversation[0].last_user_text().as_deref(),
            Some("What is the answer?")
        );
        assert!(conversation[0].tools().contains(&"Bash"));
        assert_eq!(conversation[0].header("x-api-key"), Some("dummy"));
        assert!(conversation[0].is_stream());
        model.assert_done();
    }

    pub(super) async fn a_tool_is_run_and_the_model_sees_its_result(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let call = json!({ "command": "echo $((40 + 2)); pwd", "description": "count" });
        model
            .turn(
                Turn::new()
                    .text("Let me count.")
                    .tool_use("toolu_count", "Bash", call),
            )
            .turn("It is 42.");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &["--allowedTools=Bash"]).await;
        session.prompt("Count!").await;
        let result = session.frame("result", "success").await;
        assert_eq!(
            (&result["result"], &result["num_turns"]),
            (&json!("It is 42."), &json!(2))
        );
        assert!(session.finish().await);

        let results = model.conversation()[1].tool_results();
        assert_eq!(results.len(), 1);
        assert_eq!(
            (results[0].id.as_str(), results[0].is_error),
            ("toolu_count", false)
        );
        assert_eq!(
            results[0].text,
            format!("42\n{}", isolation.cwd().display())
        );
        model.assert_done();
    }

    pub(super) async fn overload_is_retried(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::error(529)).turn("Here I am.");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Hello?").await;
        let retry = session.frame("system", "api_retry").await;
        assert_eq!(
            (&retry["error_status"], &retry["attempt"]),
            (&json!(529), &json!(1))
        );
        assert_eq!(
            session.frame("result", "success").await["result"],
            "Here I am."
        );
        assert!(session.finish().await);
        assert_eq!(model.conversation().len(), 2);
        model.assert_done();
    }

    pub(super) async fn a_server_error_that_stays_ends_the_turn(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.when(|_| true, Turn::error(500).message("the scripted fire"));
        let isolation = cli.isolated(&model).unwrap();
        let mut command = isolation.command();
        command.env("CLAUDE_CODE_MAX_RETRIES", "1");
        let mut session = Session::spawn(command, &[]).await;
        session.prompt("Hello?").await;
        let result = session.frame("result", "success").await;
        assert_eq!(result["is_error"], true);
        assert!(
            result["result"]
                .as_str()
                .unwrap()
                .contains("the scripted fire"),
            "{result}"
        );
        assert!(
            !session.finish().await,
            "an error result ends in a failure of the process"
        );
        assert_eq!(model.conversation().len(), 2);
    }

    pub(super) async fn thinking_and_partial_messages_arrive(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(
            Turn::new()
                .thinking("Let me think.")
                .text("one two three four")
                .pieces(3),
        );
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &["--include-partial-messages"]).await;
        session.prompt("Think!").await;
        session.frame("result", "success").await;
        let deltas = |kind: &str| {
            let deltas = session.seen.iter().map(|frame| &frame["event"]["delta"]);
            deltas.filter(|delta| delta["type"] == kind).count()
        };
        assert_eq!((deltas("thinking_delta"), deltas("text_delta")), (3, 3));
        let thought = session.seen.iter().find_map(|frame| {
            let block = &frame["message"]["content"][0];
            (block["type"] == "thinking").then(|| block["thinking"].clone())
        });
        assert_eq!(thought, Some(json!("Let me think.")));
        assert!(session.finish().await);
        model.assert_done();
    }

    pub(super) async fn a_cli_killed_in_a_stalled_turn_lets_go_of_the_model(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("I was about to").stall());
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Wait for me").await;
        model.next_request(DEADLINE).await.unwrap();
        session.child.kill().await.unwrap();
        let abandoned = model.next_disconnect(DEADLINE).await.unwrap();
        assert_eq!(abandoned.last_user_text().as_deref(), Some("Wait for me"));
        model.assert_done();
    }

    pub(super) async fn a_stalled_turn_is_finished_after_release(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn(Turn::new().text("Here it comes.").stall());
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Slowly").await;
        model.next_request(DEADLINE).await.unwrap();
        model.release();
        assert_eq!(
            session.frame("result", "success").await["result"],
            "Here it comes."
        );
        assert!(session.finish().await);
    }

    pub(super) async fn a_disconnect_is_retried(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn(Turn::new().text("As I was say").disconnect())
            .turn("As I was saying.");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Go on").await;
        assert_eq!(
            session.frame("result", "success").await["result"],
            "As I was saying."
        );
        assert!(session.finish().await);
        model.assert_done();
    }

    pub(super) async fn titles_and_context_usage_take_no_turn(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn("Hello.");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Hello").await;
        session.frame("result", "success").await;
        // The CLI answers by itself, with null, when the description is only a word.
        let title = json!({ "subtype": "generate_session_title", "description": "A long talk about ports", "persist": false });
        assert_eq!(session.control(title).await["title"], "scripted");
        let usage = session
            .control(json!({ "subtype": "get_context_usage" }))
            .await;
        assert!(
            usage["categories"]
                .as_array()
                .is_some_and(|list| !list.is_empty()),
            "{usage}"
        );
        assert!(session.finish().await);
        let kinds = |kind| {
            model
                .requests()
                .iter()
                .filter(|request| request.kind() == kind)
                .count()
        };
        assert_eq!(
            (
                kinds(RequestKind::Conversation),
                kinds(RequestKind::Structured)
            ),
            (1, 1)
        );
        assert!(kinds(RequestKind::CountTokens) > 0);
        model.assert_done();
    }

    pub(super) async fn a_conversation_without_tools_is_scripted_too(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model.turn("Bare.");
        let isolation = cli.isolated(&model).unwrap();
        let arguments = ["--tools=", "--model=haiku", "--system-prompt=Be bare."];
        let mut session = Session::start(&isolation, &arguments).await;
        session.prompt("Hello").await;
        assert_eq!(session.frame("result", "success").await["result"], "Bare.");
        assert!(session.finish().await);
        let request = &model.conversation()[0];
        assert!(request.tools().is_empty() && request.model().contains("haiku"));
        assert!(request.system_text().contains("Be bare."));
        model.assert_done();
    }

    pub(super) async fn a_script_that_has_run_out_ends_the_turn_at_once(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Anybody?").await;
        let result = session.frame("result", "success").await;
        assert_eq!(result["is_error"], true);
        let text = result["result"].as_str().unwrap();
        assert!(
            text.contains("the script of the model is exhausted"),
            "{text}"
        );
        assert!(
            !session
                .seen
                .iter()
                .any(|frame| frame["subtype"] == "api_retry")
        );
        assert!(!session.finish().await);
        assert_eq!(model.unexpected().len(), 1, "asked once and not again");
    }

    pub(super) async fn a_compaction_takes_a_turn_of_the_script(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn("one")
            .turn("two")
            .turn("<summary>We counted.</summary>")
            .turn("three");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        for prompt in ["Count", "Go on", "/compact"] {
            session.prompt(prompt).await;
            session.frame("result", "success").await;
        }
        let boundary = session
            .seen
            .iter()
            .find(|frame| frame["subtype"] == "compact_boundary");
        assert_eq!(
            boundary.expect("a boundary")["compact_metadata"]["trigger"],
            "manual"
        );
        session.prompt("And then?").await;
        assert_eq!(session.frame("result", "success").await["result"], "three");
        assert!(session.finish().await);
        let after = model.conversation()[3].body()["messages"].to_string();
        assert!(after.contains("We counted."), "{after}");
        model.assert_done();
    }

    pub(super) async fn a_subagent_can_have_a_script_of_its_own(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let errand = json!({
            "description": "look",
            "prompt": "Look around.",
            "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        model
            .turn(Turn::new().tool_use("toolu_errand", "Agent", errand))
            .turn("My agent saw a cat.")
            .once(|request| request.agent_id().is_some(), "I see a cat.");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Send somebody").await;
        assert_eq!(
            session.frame("result", "success").await["result"],
            "My agent saw a cat."
        );
        assert!(session.finish().await);

        let conversation = model.conversation();
        let of_agent: Vec<bool> = conversation
            .iter()
            .map(|request| request.agent_id().is_some())
            .collect();
        assert_eq!(of_agent, [false, true, false]);
        assert_eq!(
            conversation[1].last_user_text().as_deref(),
            Some("Look around.")
        );
        assert!(
            conversation[2].tool_results()[0]
                .text
                .contains("I see a cat.")
        );
        model.assert_done();
    }

    pub(super) async fn a_full_context_window_is_compacted_by_itself(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let nearly_full = Usage::new(190_000, 5);
        model
            .turn(Turn::new().text("one").usage(nearly_full))
            .turn(Turn::new().text("two").usage(nearly_full))
            .turn("<summary>We counted.</summary>")
            .turn("three");
        let isolation = cli.isolated(&model).unwrap();
        let mut command = isolation.command();
        command.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
        let mut session = Session::spawn(command, &[]).await;
        for (prompt, answer) in [("Count", "one"), ("Go on", "two"), ("And then?", "three")] {
            session.prompt(prompt).await;
            assert_eq!(session.frame("result", "success").await["result"], answer);
        }
        let boundary = session
            .seen
            .iter()
            .find(|frame| frame["subtype"] == "compact_boundary");
        assert_eq!(
            boundary.expect("a boundary")["compact_metadata"]["trigger"],
            "auto"
        );
        assert!(session.finish().await);
        model.assert_done();
    }

    pub(super) async fn an_interrupted_turn_lets_go_of_the_model(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        model
            .turn(Turn::new().text("I was about to").stall())
            .turn("Yes?");
        let isolation = cli.isolated(&model).unwrap();
        let mut session = Session::start(&isolation, &[]).await;
        session.prompt("Wait for me").await;
        model.next_request(DEADLINE).await.unwrap();
        session.control(json!({ "subtype": "interrupt" })).await;
        session.frame("result", "error_during_execution").await;
        let abandoned = model.next_disconnect(DEADLINE).await.unwrap();
        assert_eq!(abandoned.last_user_text().as_deref(), Some("Wait for me"));
        session.prompt("Still there?").await;
        assert_eq!(session.frame("result", "success").await["result"], "Yes?");
        assert!(session.finish().await);
        model.assert_done();
    }
}

/// A run of the CLI, spoken to line by line.
struct Session {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    seen: Vec<Value>,
}

impl Session {
    async fn start(isolation: &Isolation, arguments: &[&str]) -> Self {
        Self::spawn(isolation.command(), arguments).await
    }

    async fn spawn(mut command: tokio::process::Command, arguments: &[&str]) -> Self {
        command
            .args([
                "--output-format",
                "stream-json",
                "--verbose",
                "--input-format",
                "stream-json",
            ])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut session = Self {
            child,
            stdin,
            lines,
            seen: Vec::new(),
        };
        session.control(json!({ "subtype": "initialize" })).await;
        session
    }

    async fn prompt(&mut self, text: &str) {
        let message = json!({ "role": "user", "content": text });
        self.write(json!({ "type": "user", "session_id": "", "parent_tool_use_id": null, "message": message })).await;
    }

    /// Sends a control request and gives the payload of its answer.
    async fn control(&mut self, request: Value) -> Value {
        let id = format!("request-{}", self.seen.len());
        self.write(json!({ "type": "control_request", "request_id": id, "request": request }))
            .await;
        let mut frame = self
            .until(|frame| frame["response"]["request_id"] == id.as_str())
            .await;
        assert_eq!(frame["response"]["subtype"], "success", "{frame}");
        frame["response"]["response"].take()
    }

    async fn frame(&mut self, kind: &str, subtype: &str) -> Value {
        self.until(|frame| frame["type"] == kind && frame["subtype"] == subtype)
            .await
    }

    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let search = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                let frame: Value = serde_json::from_str(&line).unwrap();
                self.seen.push(frame.clone());
                if wanted(&frame) {
                    return Some(frame);
                }
            }
            None
        };
        match timeout(DEADLINE, search).await {
            Ok(Some(frame)) => frame,
            Ok(None) => panic!("the CLI ended before that; it said {:#?}", self.seen),
            Err(_) => panic!("the deadline passed; the CLI said {:#?}", self.seen),
        }
    }

    /// Ends the input and tells whether the process ended well.
    async fn finish(mut self) -> bool {
        drop(self.stdin);
        let rest = async {
            while self.lines.next_line().await.unwrap().is_some() {}
            self.child.wait().await.unwrap()
        };
        timeout(DEADLINE, rest)
            .await
            .expect("the CLI ends with its input")
            .success()
    }

    async fn write(&mut self, frame: Value) {
        self.stdin
            .write_all(format!("{frame}\n").as_bytes())
            .await
            .unwrap();
    }
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

async fn post(model: &ScriptedModel, path: &str, body: Value) -> Reply {
    send(model, "POST", path, &body.to_string()).await
}

async fn send(model: &ScriptedModel, method: &'static str, path: &str, body: &str) -> Reply {
    exchange(model.base_url(), method, path, body.to_owned()).await
}

async fn connect(model: &ScriptedModel) -> TcpStream {
    TcpStream::connect(model.base_url().replace("http://", ""))
        .await
        .unwrap()
}

/// Speaks HTTP/1.0, where a body ends with its connection and is not cut into chunks.
fn exchange(
    base_url: String,
    method: &str,
    path: &str,
    body: String,
) -> impl Future<Output = Reply> + use<> {
    let head = format!(
        "{method} {path} HTTP/1.0\r\nx-test: yes\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let exchange = async move {
        let mut stream = TcpStream::connect(base_url.replace("http://", ""))
            .await
            .unwrap();
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .await
            .unwrap();
        let mut raw = String::new();
        stream.read_to_string(&mut raw).await.unwrap();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Reply {
            status,
            headers,
            body: body.to_owned(),
        }
    };
    async move {
        timeout(DEADLINE, exchange)
            .await
            .expect("an answer within the deadline")
    }
}
