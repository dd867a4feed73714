use inhouse_testkit::model::{RequestKind, Usage};
use inhouse_testkit::{RealCli, ScriptedModel, Turn};
use serde_json::json;

use crate::DEADLINE;
use crate::session::Session;

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
    text_turn_is_answered,
    tool_runs_and_the_model_gets_its_result,
    overload_is_retried,
    permanent_server_error_ends_the_turn,
    thinking_and_partial_messages_are_delivered,
    cli_killed_in_a_stalled_turn_disconnects,
    stalled_turn_finishes_after_release,
    disconnect_is_retried,
    titles_and_context_usage_take_no_turn,
    conversation_without_tools_is_scripted,
    exhausted_script_ends_the_turn_at_once,
    compaction_takes_a_turn_of_the_script,
    full_context_is_compacted_automatically,
    subagent_can_have_its_own_script,
    interrupted_turn_disconnects,
}

mod scenarios {
    use super::*;

    pub(super) async fn text_turn_is_answered(cli: RealCli) {
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

    pub(super) async fn tool_runs_and_the_model_gets_its_result(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let call = json!({ "command": "echo $((40 + 2)); pwd", "description": "count" });
        model
            .turn(
                Turn::new()
                    .text("Let me count.")
                    .tool_use_with_id("toolu_count", "Bash", call),
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

    pub(super) async fn permanent_server_error_ends_the_turn(cli: RealCli) {
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

    pub(super) async fn thinking_and_partial_messages_are_delivered(cli: RealCli) {
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

    pub(super) async fn cli_killed_in_a_stalled_turn_disconnects(cli: RealCli) {
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

    pub(super) async fn stalled_turn_finishes_after_release(cli: RealCli) {
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

    pub(super) async fn disconnect_is_retried(cli: RealCli) {
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
        // The CLI itself answers with null if the description is a single word.
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

    pub(super) async fn conversation_without_tools_is_scripted(cli: RealCli) {
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

    pub(super) async fn exhausted_script_ends_the_turn_at_once(cli: RealCli) {
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

    pub(super) async fn compaction_takes_a_turn_of_the_script(cli: RealCli) {
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

    pub(super) async fn subagent_can_have_its_own_script(cli: RealCli) {
        let model = ScriptedModel::start().await.unwrap();
        let errand = json!({
            "description": "look",
            "prompt": "Look around.",
            "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        model
            .turn(Turn::new().tool_use_with_id("toolu_errand", "Agent", errand))
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

    pub(super) async fn full_context_is_compacted_automatically(cli: RealCli) {
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

    pub(super) async fn interrupted_turn_disconnects(cli: RealCli) {
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
