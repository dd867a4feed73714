//! Scenarios with the CLI in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::control::PermissionMode;
use inhouse::hook::{HookOutput, Matcher, PostToolUse, PreToolUse, Stop, UserPromptSubmit};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse::{Asked, Client, Options, schemars};
use inhouse_testkit::model::Usage;
use inhouse_testkit::{Replay, Run, Scenario, Turn, text};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Barrier, Notify};

#[derive(Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

/// A server with one tool, which adds two numbers.
fn calculator() -> ToolServer {
    let add = async |Input(Sum { a, b })| (a + b).to_string();
    ToolServer::new("calc").tool(Tool::new("add", "Adds two numbers", add))
}

fn options() -> Options {
    Options::new()
        .tool_server(calculator())
        .allow_tools(["mcp__calc"])
}

/// A model that calls the tool once and then ends its turn.
fn adding(options: Options) -> Scenario {
    Scenario::new(options)
        .turn(text("Let me add.").tool_use("mcp__calc__add", json!({"a": 15, "b": 27})))
        .turn("The result is 42.")
}

#[tokio::test]
async fn tool_runs_and_its_result_reaches_the_model() {
    let run = adding(options()).prompt("What is 15 + 27?").await.unwrap();

    run.assert_answer("42")
        .assert_tool_called("add", json!({"a": 15, "b": 27}))
        .assert_tool_called("mcp__calc__add", json!({"a": 15, "b": 27}))
        .assert_model_saw("42");
    let calls = run.tool_calls();
    assert_eq!(calls[0].result.as_deref(), Some("42"));
    assert!(!calls[0].is_error);
    assert_eq!(run.result().num_turns, Some(2));
    assert_eq!(run.model_requests()[0].tools(), ["mcp__calc__add"]);
    assert_eq!(run.model_requests()[1].tool_results()[0].text, "42");
}

#[tokio::test]
async fn conversation_continues_over_several_prompts() {
    let run = Scenario::new(Options::new())
        .turn("42")
        .turn("84")
        .play(async |client| {
            assert_eq!(client.send("15 + 27?").await?.text().await?, "42");
            assert_eq!(client.send("Twice?").await?.text().await?, "84");
            Ok(())
        })
        .await
        .unwrap();

    let second = run.model_requests()[1].messages();
    assert_eq!(second.len(), 3);
    assert_eq!(second[1]["content"][0]["text"], "42");
}

#[tokio::test]
async fn script_that_runs_dry_fails_with_the_request() {
    let error = Scenario::new(options())
        .turn(Turn::new().tool_use("mcp__calc__add", json!({"a": 1, "b": 2})))
        .prompt("What is 1 + 2?")
        .await
        .unwrap_err()
        .to_string();

    for part in [
        "the script of the model has no answer to this request",
        "after the result of a tool: \"3\"",
        "prompt: What is 1 + 2?",
        "model calls mcp__calc__add: {\"a\":1,\"b\":2}",
        "result of mcp__calc__add: 3",
    ] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
}

#[tokio::test]
async fn unused_answers_fail_the_scenario() {
    let error = Scenario::new(Options::new())
        .turn("42")
        .turn(text("Let me look.").tool_use("mcp__calc__add", json!({"a": 1})))
        .once(|request| request.model() == "none", "Never.")
        .prompt("Hello")
        .await
        .unwrap_err()
        .to_string();

    for part in [
        "these answers of the model were not used",
        "\"Let me look.\", mcp__calc__add({\"a\":1})",
        "\"Never.\" (of a rule)",
    ] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
}

#[tokio::test]
async fn built_in_tool_needs_the_real_cli() {
    let error = Scenario::new(Options::new())
        .turn(Turn::new().tool_use("Bash", json!({"command": "ls"})))
        .prompt("Look.")
        .await
        .unwrap_err()
        .to_string();

    assert!(error.contains("`Bash`"), "{error}");
    assert!(error.contains("use `Scenario::real`"), "{error}");
}

#[tokio::test]
async fn failed_tool_is_an_error_for_the_model() {
    let server = ToolServer::new("s").tool(Tool::new("fail", "Fails", async || {
        Err::<String, _>(ToolError::new("out of order"))
    }));
    let options = Options::new().tool_server(server).allow_tools(["mcp__s"]);
    let run = Scenario::new(options)
        .turn(Turn::new().tool_use("mcp__s__fail", json!({})))
        .turn("It failed.")
        .prompt("Try.")
        .await
        .unwrap();

    let result = &run.model_requests()[1].tool_results()[0];
    assert!(
        result.is_error && result.text.contains("out of order"),
        "{result:?}"
    );
    assert!(run.tool_calls()[0].is_error);
}

#[tokio::test]
async fn read_only_tools_of_one_message_run_together() {
    // Neither call ends before the other has started.
    let both = Arc::new(Barrier::new(2));
    let meet = async move || {
        both.wait().await;
        "met"
    };
    let server = ToolServer::new("s").tool(Tool::new("meet", "Meets", meet).read_only(true));
    let options = Options::new().tool_server(server).allow_tools(["mcp__s"]);
    let call = |turn: Turn| turn.tool_use("mcp__s__meet", json!({}));
    let run = Scenario::new(options)
        .turn(call(call(Turn::new())))
        .turn("Done.")
        .prompt("Meet.")
        .await
        .unwrap();

    assert_eq!(run.model_requests()[1].tool_results().len(), 2);
}

#[tokio::test]
async fn other_tools_of_one_message_run_one_by_one() {
    let running = Arc::new(AtomicUsize::new(0));
    let write = async move || {
        let others = running.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        running.fetch_sub(1, Ordering::SeqCst);
        others.to_string()
    };
    let server = ToolServer::new("s").tool(Tool::new("write", "Writes", write));
    let options = Options::new().tool_server(server).allow_tools(["mcp__s"]);
    let call = |turn: Turn| turn.tool_use("mcp__s__write", json!({}));
    let run = Scenario::new(options)
        .turn(call(call(Turn::new())))
        .turn("Done.")
        .prompt("Write.")
        .await
        .unwrap();

    let results = run.model_requests()[1].tool_results();
    assert!(
        results.iter().all(|result| result.text == "0"),
        "{results:?}"
    );
}

#[tokio::test]
async fn call_without_permission_is_denied() {
    let options = Options::new().tool_server(calculator());
    let run = adding(options).prompt("What is 15 + 27?").await.unwrap();

    let result = &run.model_requests()[1].tool_results()[0];
    assert!(
        result.is_error && result.text.contains("haven't granted it yet"),
        "{result:?}"
    );
    let denials = run
        .result()
        .permission_denials
        .as_deref()
        .unwrap_or_default();
    assert_eq!(denials[0].tool_name, "mcp__calc__add");
}

#[tokio::test]
async fn bypass_mode_needs_no_permission() {
    let options = Options::new()
        .tool_server(calculator())
        .permission_mode(PermissionMode::BypassPermissions)
        .allow_dangerously_skip_permissions(true);
    let run = adding(options).prompt("What is 15 + 27?").await.unwrap();

    assert_eq!(run.model_requests()[1].tool_results()[0].text, "42");
}

#[tokio::test]
async fn permission_handler_changes_the_input() {
    let options =
        Options::new()
            .tool_server(calculator())
            .permissions(async |asked: Asked<CanUseTool>| {
                assert_eq!(asked.request.tool_name, "mcp__calc__add");
                Ok(Decision::allow().input(json!({"a": 1, "b": 1})))
            });
    let run = adding(options).prompt("What is 15 + 27?").await.unwrap();

    assert_eq!(run.model_requests()[1].tool_results()[0].text, "2");
}

#[tokio::test]
async fn remembered_permission_is_not_requested_again() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let options =
        Options::new()
            .tool_server(calculator())
            .permissions(move |_: Asked<CanUseTool>| {
                counted.fetch_add(1, Ordering::SeqCst);
                async { Ok(Decision::allow().remember_suggestions()) }
            });
    let call = || Turn::new().tool_use("mcp__calc__add", json!({"a": 1, "b": 2}));
    Scenario::new(options)
        .turn(call())
        .turn(call())
        .turn("Done.")
        .prompt("Add twice.")
        .await
        .unwrap();

    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn hooks_deny_change_and_comment() {
    let options = options()
        .hook(
            Matcher::tool("mcp__calc__add"),
            async |call: PreToolUse, _| {
                Ok(match call.tool_input["a"].as_i64() {
                    Some(15) => HookOutput::allow().update_input(json!({"a": 1, "b": 1})),
                    _ => HookOutput::deny("only 15"),
                })
            },
        )
        .hook(Matcher::pattern("^mcp__"), async |_: PostToolUse, _| {
            Ok(HookOutput::pass().context("Round the result."))
        })
        .hook(Matcher::any(), async |_: UserPromptSubmit, _| {
            Ok(HookOutput::pass().context("Today is Monday."))
        });
    let run = Scenario::new(options)
        .turn(Turn::new().tool_use("mcp__calc__add", json!({"a": 15, "b": 27})))
        .turn(Turn::new().tool_use("mcp__calc__add", json!({"a": 2, "b": 2})))
        .turn("Done.")
        .prompt("Add.")
        .await
        .unwrap();

    run.assert_model_saw("Today is Monday.")
        .assert_model_saw("Round the result.");
    let results = run.model_requests()[2].tool_results();
    assert!(results[0].text.starts_with("2\n") && !results[0].is_error);
    assert!(
        results[1].is_error && results[1].text.contains("only 15"),
        "{results:?}"
    );
}

#[tokio::test]
async fn stop_hook_continues_the_turn_once() {
    let options = Options::new().hook(Matcher::any(), async |stop: Stop, _| {
        Ok(match stop.stop_hook_active {
            true => HookOutput::pass(),
            false => HookOutput::block("say it in French"),
        })
    });
    let run = Scenario::new(options)
        .turn("Hello.")
        .turn("Bonjour.")
        .prompt("Greet me.")
        .await
        .unwrap();

    run.assert_answer("Bonjour.")
        .assert_model_saw("say it in French");
}

#[tokio::test]
async fn interrupt_ends_a_stalled_turn() {
    let run = Scenario::new(Options::new().include_partial_messages(true))
        .turn(text("This will take").pieces(1).stall())
        .turn("Back again.")
        .play(async |client| {
            let control = client.control().clone();
            let mut turn = client.send("Count.").await?;
            while let Some(message) = turn.next().await {
                if message?.raw().contains("content_block_delta") {
                    control.interrupt().await?;
                }
            }
            assert_eq!(client.send("There?").await?.text().await?, "Back again.");
            Ok(())
        })
        .await
        .unwrap();

    run.assert_model_saw("[Request interrupted by user]");
}

#[tokio::test]
async fn interrupt_cancels_a_running_tool() {
    let started = Arc::new(Notify::new());
    let running = Arc::clone(&started);
    let wait = async move || {
        running.notify_one();
        std::future::pending::<String>().await
    };
    let server = ToolServer::new("s").tool(Tool::new("wait", "Waits", wait));
    let options = Options::new().tool_server(server).allow_tools(["mcp__s"]);
    let run = Scenario::new(options)
        .turn(Turn::new().tool_use("mcp__s__wait", json!({})))
        .play(async |client| {
            let control = client.control().clone();
            let turn = client.send("Wait.").await?;
            started.notified().await;
            control.interrupt().await?;
            turn.finish().await?;
            Ok(())
        })
        .await
        .unwrap();

    assert!(run.tool_calls()[0].is_error);
    assert!(run.result().is_error);
}

#[tokio::test]
async fn api_error_is_retried_and_a_final_one_is_the_result() {
    let run = Scenario::new(Options::new())
        .turn(Turn::error(529))
        .turn(Turn::error(500).message("out of paper").no_retry())
        .prompt("Hello")
        .await
        .unwrap();

    assert!(run.result().is_error);
    assert!(run.answer().contains("out of paper"), "{run}");
    assert_eq!(run.model_requests().len(), 2);
}

#[tokio::test]
async fn turns_are_limited_and_tokens_are_summed() {
    let call = || {
        Turn::new()
            .tool_use("mcp__calc__add", json!({"a": 1, "b": 2}))
            .usage(Usage::new(100, 10).cache_read(7))
    };
    let run = Scenario::new(options().max_turns(2))
        .turn(call())
        .turn(call())
        .prompt("Add forever.")
        .await
        .unwrap();

    let result = run.result();
    assert!(result.is_error);
    let usage = result.usage.as_ref().unwrap();
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(200), Some(20))
    );
    assert_eq!(usage.cache_read_input_tokens, Some(14));
}

#[tokio::test]
async fn changed_tools_are_offered_to_the_next_turn() {
    let server = ToolServer::new("s").tool(Tool::new("old", "Old", async || "old"));
    let tools = server.handle();
    let options = Options::new().tool_server(server);
    let run = Scenario::new(options)
        .turn("One.")
        .turn("Two.")
        .play(async |client| {
            client.send("First").await?.finish().await?;
            tools.put(Tool::new("new", "New", async || "new")).unwrap();
            client.send("Second").await?.finish().await?;
            Ok(())
        })
        .await
        .unwrap();

    assert_eq!(run.model_requests()[0].tools(), ["mcp__s__old"]);
    assert_eq!(
        run.model_requests()[1].tools(),
        ["mcp__s__old", "mcp__s__new"]
    );
}

#[tokio::test]
async fn invalid_options_are_reported_alone() {
    let error = Scenario::new(Options::new().model(""))
        .turn("Never.")
        .prompt("Hello")
        .await
        .unwrap_err()
        .to_string();

    assert!(error.starts_with("the host returned an error"), "{error}");
    assert!(!error.contains("Never."), "{error}");
}

#[tokio::test]
async fn failed_assertions_show_the_conversation() {
    let run = adding(options()).prompt("What is 15 + 27?").await.unwrap();
    let failed: [fn(&Run); 3] = [
        |run| _ = run.assert_answer("43"),
        |run| _ = run.assert_tool_called("add", json!({"a": 0})),
        |run| _ = run.assert_model_saw("Let me add."),
    ];
    for assertion in failed {
        let panic = std::panic::catch_unwind(|| assertion(&run)).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.contains("prompt: What is 15 + 27?"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn recording_of_the_options_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.jsonl");
    let run = adding(options().record(&path))
        .prompt("What is 15 + 27?")
        .await
        .unwrap();
    run.assert_answer("42");
    let replay = Replay::load(&path).unwrap();
    let report = replay.report();
    let mut client = Client::connect_with(options(), replay).await.unwrap();
    let answer = client.send("What is 15 + 27?").await.unwrap();
    assert_eq!(answer.text().await.unwrap(), run.answer());
    client.close().await.unwrap();
    report.assert_same();
}

#[tokio::test(start_paused = true)]
async fn guide_shows_the_error_of_a_script_that_runs_dry() {
    let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    let options = Options::new()
        .tool_server(clock)
        .allow_tools(["mcp__clock"]);
    let error = Scenario::new(options)
        .turn(text("Let me look.").tool_use("mcp__clock__now", json!({})))
        .prompt("What time is it?")
        .await
        .unwrap_err();
    let guide = include_str!("../../inhouse/src/guide/testing.md");
    let shown = error.to_string();
    assert!(
        guide.contains(shown.trim_end()),
        "the guide has another text than\n{shown}"
    );
}
