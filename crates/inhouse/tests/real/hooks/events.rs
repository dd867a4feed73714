//! Typed hooks for prompts, tools, subagents and compaction.

use std::fs;

use inhouse::hook::*;
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::sync::mpsc;

use super::probe::Probe;
use crate::tasks::counting_sheep;
use crate::world;

#[tokio::test]
async fn prompt_tool_and_stop_hooks_run() {
    world::pinned(async |world| {
        let commands = world.cwd().join(".claude/commands");
        fs::create_dir_all(&commands).unwrap();
        fs::write(commands.join("hello.md"), "Say hello to $ARGUMENTS").unwrap();
        fs::write(world.cwd().join("CLAUDE.md"), "Be kind.").unwrap();
        let calls = Turn::new()
            .tool_use_with_id("toolu_1", "Bash", json!({"command": "echo hi"}))
            .tool_use_with_id("toolu_2", "Bash", json!({"command": "touch a && exit 3"}));
        world.model.turn(calls).turn("Done.");
        let mut probe = Probe::new();
        let mut options = world.options();
        options = probe.of::<InstructionsLoaded>(options);
        options = probe.of::<UserPromptSubmit>(options);
        options = probe.of::<UserPromptExpansion>(options);
        options = probe.of::<PreToolUse>(options);
        options = probe.of::<PostToolUse>(options);
        options = probe.of::<PostToolUseFailure>(options);
        options = probe.of::<PostToolBatch>(options);
        options = probe.of::<MessageDisplay>(options);
        options = probe.of::<Stop>(options);
        // The first decision wins, without waiting for the others.
        let (sender, mut receiver) = mpsc::unbounded_channel();
        options = options.hook(
            Matcher::tool("Bash"),
            move |event: PermissionRequest, _: HookContext| {
                sender.send(event).expect("the test holds the receiver");
                async { Ok(HookOutput::allow()) }
            },
        );
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "/hello world").await, "Done.");

        let read = probe.saw("InstructionsLoaded").await;
        assert_eq!(read["load_reason"], "session_start");
        assert_eq!(
            probe.saw("UserPromptSubmit").await["prompt"],
            "/hello world"
        );
        let expanded = probe.saw("UserPromptExpansion").await;
        assert_eq!(
            (&expanded["command_name"], &expanded["command_args"]),
            (&json!("hello"), &json!("world"))
        );
        let first = probe.saw("PreToolUse").await;
        assert_eq!(first["tool_input"]["command"], "echo hi");
        assert_eq!(first["permission_mode"], "default");
        assert_eq!(probe.saw("PreToolUse").await["tool_use_id"], "toolu_2");
        let ran = probe.saw("PostToolUse").await;
        assert_eq!(ran["tool_response"]["stdout"], "hi");
        let event = receiver.recv().await.expect("a hook was called");
        assert_eq!(event.tool_input["command"], "touch a && exit 3");
        assert!(event.permission_suggestions.is_some(), "{event:?}");
        let failed = probe.saw("PostToolUseFailure").await;
        assert!(failed["error"].as_str().unwrap().contains("Exit code 3"));
        let batch = probe.saw("PostToolBatch").await;
        assert_eq!(batch["tool_calls"].as_array().unwrap().len(), 2);
        assert_eq!(probe.saw("MessageDisplay").await["delta"], "Done.");
        let stopped = probe.saw("Stop").await;
        assert_eq!(stopped["last_assistant_message"], "Done.");
        assert_eq!(stopped["stop_hook_active"], false);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn subagent_hooks_run() {
    world::pinned(async |world| {
        let mut probe = Probe::new();
        let mut options = counting_sheep(world, false, Turn::new().text("Seven."));
        world.model.turn("There are seven.");
        options = probe.of::<SubagentStart>(options);
        options = probe.of::<SubagentStop>(options);
        options = options.hook(Matcher::agent("shepherd"), async |_: SubagentStart, _| {
            Ok(HookOutput::pass().context("Lambs count as well."))
        });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "How many?").await;

        let began = probe.saw("SubagentStart").await;
        assert_eq!(began["agent_type"], "shepherd");
        let ended = probe.saw("SubagentStop").await;
        assert_eq!(ended["agent_id"], began["agent_id"]);
        assert_eq!(ended["last_assistant_message"], "Seven.");
        let requests = world.model.conversation();
        let of_shepherd = requests.iter().find(|request| request.agent_id().is_some());
        let read = of_shepherd.unwrap().body()["messages"].to_string();
        assert!(read.contains("Lambs count as well."), "{read}");
    })
    .await;
}

#[tokio::test]
async fn compaction_and_session_hooks_run() {
    world::pinned(async |world| {
        world
            .model
            .turn("One.")
            .turn("<summary>They began.</summary>")
            .turn("Two.");
        let watched = world.cwd().join("watched.txt");
        let mut probe = Probe::new();
        let mut options = world.options();
        options = probe.of::<PreCompact>(options);
        options = probe.of::<PostCompact>(options);
        options = probe.of::<SessionEnd>(options);
        options = probe.of::<FileChanged>(options);
        options = probe.of::<SessionStart>(options);
        let path = watched.clone();
        let context = async move |_: SessionStart, _: HookContext| {
            Ok(HookOutput::pass().context("A new day.").watch_paths([path]))
        };
        options = options.hook(Matcher::only(SessionSource::Clear), context);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Begin.").await;
        world.ask(&mut client, "/compact").await;
        assert_eq!(probe.saw("PreCompact").await["trigger"], "manual");
        assert_eq!(probe.saw("SessionStart").await["source"], "compact");
        let summary = probe.saw("PostCompact").await;
        let summary = summary["compact_summary"].as_str().unwrap();
        assert!(summary.contains("They began."), "{summary}");

        world.ask(&mut client, "/clear").await;
        assert_eq!(probe.saw("SessionEnd").await["reason"], "clear");
        assert_eq!(probe.saw("SessionStart").await["source"], "clear");
        world.ask(&mut client, "Begin again.").await;
        let read = super::read_by_model(world);
        assert!(read.contains("A new day."), "{read}");

        fs::write(&watched, "changed").unwrap();
        let changed = probe.saw("FileChanged").await;
        assert_eq!(changed["event"], "add");
        assert_eq!(changed["file_path"], watched.to_str().unwrap());
    })
    .await;
}

#[tokio::test]
async fn stop_failure_hook_runs_when_the_api_fails() {
    world::pinned(async |world| {
        world.model.turn(Turn::error(401).no_retry());
        let mut probe = Probe::new();
        let options = probe.of::<StopFailure>(world.options());
        let mut client = world.connect(options).await;

        let turn = client.send("Go.").await.unwrap();
        world.read(turn).await;

        let failure = probe.saw("StopFailure").await;
        assert_eq!(failure["error"], "authentication_failed");
    })
    .await;
}

#[tokio::test]
async fn call_in_a_subagent_has_its_agent_id() {
    world::pinned(async |world| {
        let call = Turn::new().tool_use_with_id("toolu_2", "Bash", json!({"command": "echo baa"}));
        let options = counting_sheep(world, false, call);
        world
            .model
            .once(
                |request| request.agent_id().is_some(),
                Turn::new().text("Seven."),
            )
            .turn("There are seven.");
        let mut probe = Probe::new();
        let options = probe.of::<PreToolUse>(options);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "How many?").await;

        let delegated = probe.saw("PreToolUse").await;
        assert_eq!(
            (&delegated["tool_name"], delegated.get("agent_id")),
            (&json!("Agent"), None)
        );
        let inside = probe.saw("PreToolUse").await;
        assert_eq!(inside["agent_type"], "shepherd");
        assert!(inside["agent_id"].is_string(), "{inside}");
    })
    .await;
}
