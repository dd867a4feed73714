//! Events in the course of a conversation reach typed hooks.

use std::fs;

use inhouse::hook::*;
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::sync::mpsc;

use super::witness::Witness;
use crate::tasks::counting_sheep;
use crate::world;

#[tokio::test]
async fn prompts_calls_and_stops_are_seen() {
    world::pinned(async |world| {
        let commands = world.cwd().join(".claude/commands");
        fs::create_dir_all(&commands).unwrap();
        fs::write(commands.join("hello.md"), "Say hello to $ARGUMENTS").unwrap();
        fs::write(world.cwd().join("CLAUDE.md"), "Be kind.").unwrap();
        let calls = Turn::new()
            .tool_use("toolu_1", "Bash", json!({"command": "echo hi"}))
            .tool_use("toolu_2", "Bash", json!({"command": "touch a && exit 3"}));
        world.model.turn(calls).turn("Done.");
        let mut witness = Witness::new();
        let mut options = world.options();
        options = witness.of::<InstructionsLoaded>(options);
        options = witness.of::<UserPromptSubmit>(options);
        options = witness.of::<UserPromptExpansion>(options);
        options = witness.of::<PreToolUse>(options);
        options = witness.of::<PostToolUse>(options);
        options = witness.of::<PostToolUseFailure>(options);
        options = witness.of::<PostToolBatch>(options);
        options = witness.of::<MessageDisplay>(options);
        options = witness.of::<Stop>(options);
        // The first decision counts, and nobody waits for those of others.
        let (tell, mut asked) = mpsc::unbounded_channel();
        options = options.hook(
            Matcher::tool("Bash"),
            move |event: PermissionRequest, _: HookContext| {
                tell.send(event).expect("the test listens");
                async { Ok(HookOutput::allow()) }
            },
        );
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "/hello world").await, "Done.");

        let read = witness.saw("InstructionsLoaded").await;
        assert_eq!(read["load_reason"], "session_start");
        assert_eq!(
            witness.saw("UserPromptSubmit").await["prompt"],
            "/hello world"
        );
        let expanded = witness.saw("UserPromptExpansion").await;
        assert_eq!(
            (&expanded["command_name"], &expanded["command_args"]),
            (&json!("hello"), &json!("world"))
        );
        let first = witness.saw("PreToolUse").await;
        assert_eq!(first["tool_input"]["command"], "echo hi");
        assert_eq!(first["permission_mode"], "default");
        assert_eq!(witness.saw("PreToolUse").await["tool_use_id"], "toolu_2");
        let ran = witness.saw("PostToolUse").await;
        assert_eq!(ran["tool_response"]["stdout"], "hi");
        let asked = asked.recv().await.expect("a hook was asked");
        assert_eq!(asked.tool_input["command"], "touch a && exit 3");
        assert!(asked.permission_suggestions.is_some(), "{asked:?}");
        let failed = witness.saw("PostToolUseFailure").await;
        assert!(failed["error"].as_str().unwrap().contains("Exit code 3"));
        let batch = witness.saw("PostToolBatch").await;
        assert_eq!(batch["tool_calls"].as_array().unwrap().len(), 2);
        assert_eq!(witness.saw("MessageDisplay").await["delta"], "Done.");
        let stopped = witness.saw("Stop").await;
        assert_eq!(stopped["last_assistant_message"], "Done.");
        assert_eq!(stopped["stop_hook_active"], false);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn subagents_are_seen() {
    world::pinned(async |world| {
        let mut witness = Witness::new();
        let mut options = counting_sheep(world, false, Turn::new().text("Seven."));
        world.model.turn("There are seven.");
        options = witness.of::<SubagentStart>(options);
        options = witness.of::<SubagentStop>(options);
        options = options.hook(Matcher::agent("shepherd"), async |_: SubagentStart, _| {
            Ok(HookOutput::pass().context("Lambs count as well."))
        });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "How many?").await;

        let began = witness.saw("SubagentStart").await;
        assert_eq!(began["agent_type"], "shepherd");
        let ended = witness.saw("SubagentStop").await;
        assert_eq!(ended["agent_id"], began["agent_id"]);
        assert_eq!(ended["last_assistant_message"], "Seven.");
        let asked = world.model.conversation();
        let of_shepherd = asked.iter().find(|request| request.agent_id().is_some());
        let read = of_shepherd.unwrap().body()["messages"].to_string();
        assert!(read.contains("Lambs count as well."), "{read}");
    })
    .await;
}

#[tokio::test]
async fn compactions_and_new_conversations_are_seen() {
    world::pinned(async |world| {
        world
            .model
            .turn("One.")
            .turn("<summary>They began.</summary>")
            .turn("Two.");
        let watched = world.cwd().join("watched.txt");
        let mut witness = Witness::new();
        let mut options = world.options();
        options = witness.of::<PreCompact>(options);
        options = witness.of::<PostCompact>(options);
        options = witness.of::<SessionEnd>(options);
        options = witness.of::<FileChanged>(options);
        options = witness.of::<SessionStart>(options);
        let path = watched.clone();
        let context = async move |_: SessionStart, _: HookContext| {
            Ok(HookOutput::pass().context("A new day.").watch_paths([path]))
        };
        options = options.hook(Matcher::only(SessionSource::Clear), context);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Begin.").await;
        world.ask(&mut client, "/compact").await;
        assert_eq!(witness.saw("PreCompact").await["trigger"], "manual");
        assert_eq!(witness.saw("SessionStart").await["source"], "compact");
        let summary = witness.saw("PostCompact").await;
        let summary = summary["compact_summary"].as_str().unwrap();
        assert!(summary.contains("They began."), "{summary}");

        world.ask(&mut client, "/clear").await;
        assert_eq!(witness.saw("SessionEnd").await["reason"], "clear");
        assert_eq!(witness.saw("SessionStart").await["source"], "clear");
        world.ask(&mut client, "Begin again.").await;
        let read = super::read_by_model(world);
        assert!(read.contains("A new day."), "{read}");

        fs::write(&watched, "changed").unwrap();
        let changed = witness.saw("FileChanged").await;
        assert_eq!(changed["event"], "add");
        assert_eq!(changed["file_path"], watched.to_str().unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_failing_api_is_seen() {
    world::pinned(async |world| {
        world.model.turn(Turn::error(401).no_retry());
        let mut witness = Witness::new();
        let options = witness.of::<StopFailure>(world.options());
        let mut client = world.connect(options).await;

        let turn = client.send("Go.").await.unwrap();
        world.read(turn).await;

        let failure = witness.saw("StopFailure").await;
        assert_eq!(failure["error"], "authentication_failed");
    })
    .await;
}

#[tokio::test]
async fn a_call_in_a_subagent_names_its_agent() {
    world::pinned(async |world| {
        let call = Turn::new().tool_use("toolu_2", "Bash", json!({"command": "echo baa"}));
        let options = counting_sheep(world, false, call);
        world
            .model
            .once(
                |request| request.agent_id().is_some(),
                Turn::new().text("Seven."),
            )
            .turn("There are seven.");
        let mut witness = Witness::new();
        let options = witness.of::<PreToolUse>(options);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "How many?").await;

        let delegated = witness.saw("PreToolUse").await;
        assert_eq!(
            (&delegated["tool_name"], delegated.get("agent_id")),
            (&json!("Agent"), None)
        );
        let inside = witness.saw("PreToolUse").await;
        assert_eq!(inside["agent_type"], "shepherd");
        assert!(inside["agent_id"].is_string(), "{inside}");
    })
    .await;
}
