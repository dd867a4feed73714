//! Outputs of tool hooks and their effect on the call.

use std::future::pending;

use inhouse::Asked;
use inhouse::builtin::{Bash, ToolInput as _};
use inhouse::hook::*;
use inhouse::permission::{CanUseTool, Decision};
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::sync::mpsc;

use super::{read_by_model, running};
use crate::world::{self, result_of};

/// No permission would have been requested for this call.
#[tokio::test]
async fn denied_call_does_not_run_and_the_model_gets_the_reason() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let options = world.options().hook(
            Matcher::tool("Bash"),
            async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("not here")),
        );
        let mut client = world.connect(options).await;

        let turn = client.send("Go.").await.unwrap();
        let messages = world.read(turn).await;

        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].is_error);
        assert!(seen[0].text.contains("not here"), "{seen:?}");
        let denials = result_of(&messages).permission_denials.as_deref();
        assert_eq!(denials.unwrap_or_default().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn matcher_ignores_other_tools() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let options = world
            .options()
            .hook(
                Matcher::tools(["Write", "Edit"]),
                async |_: PreToolUse, _| Ok(HookOutput::deny("read only")),
            )
            .hook(Matcher::pattern("^mcp__"), async |_: PreToolUse, _| {
                Ok(HookOutput::deny("no servers"))
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let seen = world.model.conversation()[1].tool_results();
        assert_eq!((seen[0].text.as_str(), seen[0].is_error), ("hi", false));
    })
    .await;
}

#[tokio::test]
async fn allowed_call_runs_with_the_changed_input() {
    world::pinned(async |world| {
        running(world, "touch asked");
        let options = world
            .options()
            .hook(Matcher::tool("Bash"), async |call: PreToolUse, _| {
                let mut input = call.tool_input;
                input["command"] = json!("touch changed && echo changed");
                Ok(HookOutput::allow().update_input(input))
            })
            .permissions(async |_: Asked<CanUseTool>| panic!("the handler is not called"));
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        assert!(world.cwd().join("changed").exists());
        assert!(!world.cwd().join("asked").exists());
        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "changed");
    })
    .await;
}

/// A changed input without a decision goes through the usual checks.
#[tokio::test]
async fn permission_request_has_the_changed_input() {
    world::pinned(async |world| {
        running(world, "touch asked");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::pass().update_input(json!({"command": "touch changed"})))
            })
            .permissions(move |asked: Asked<CanUseTool>| {
                sender.send(asked.request.input["command"].clone()).unwrap();
                async { Ok(Decision::allow()) }
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        assert_eq!(receiver.recv().await.unwrap(), "touch changed");
        assert!(world.cwd().join("changed").exists());
    })
    .await;
}

/// Also for a call that would run without permission.
#[tokio::test]
async fn hook_can_require_a_permission_request() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::ask("it may be loud"))
            })
            .permissions(move |asked: Asked<CanUseTool>| {
                sender.send(asked.request.decision_reason.clone()).unwrap();
                async { Ok(Decision::deny("too loud")) }
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let reason = receiver.recv().await.unwrap().unwrap();
        assert!(reason.contains("it may be loud"), "{reason}");
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].text.contains("too loud"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn strictest_of_several_decisions_wins() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::allow())
            })
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::deny("no"))
            })
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::pass())
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        assert!(world.model.conversation()[1].tool_results()[0].is_error);
    })
    .await;
}

#[tokio::test]
async fn hooks_of_a_cloned_matcher_are_all_called_and_the_strictest_wins() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let allowing = sender.clone();
        let commands = Matcher::tool("Bash");
        let options = world
            .options()
            .hook(commands.clone(), move |_: PreToolUse, _: HookContext| {
                allowing.send("allow").unwrap();
                async { Ok(HookOutput::allow()) }
            })
            .hook(commands, move |_: PreToolUse, _: HookContext| {
                sender.send("deny").unwrap();
                async { Ok(HookOutput::deny("not here")) }
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let mut called = [receiver.recv().await, receiver.recv().await];
        called.sort_unstable();
        assert_eq!(called, [Some("allow"), Some("deny")]);
        let seen = world.model.conversation()[1].tool_results();
        assert!(seen[0].is_error);
        assert!(seen[0].text.contains("not here"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn model_gets_context_with_the_result() {
    world::pinned(async |world| {
        running(world, "echo hi");
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::pass().context("before it ran"))
            })
            .hook(Matcher::any(), async |_: PostToolUse, _| {
                Ok(HookOutput::pass().context("after it ran"))
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let read = read_by_model(world);
        assert!(read.contains("before it ran"), "{read}");
        assert!(read.contains("after it ran"), "{read}");
        assert_eq!(world.model.conversation()[1].tool_results()[0].text, "hi");
    })
    .await;
}

#[tokio::test]
async fn model_gets_the_changed_output() {
    world::pinned(async |world| {
        running(world, "echo secret");
        let options = world
            .options()
            .hook(Matcher::tool("Bash"), async |call: PostToolUse, _| {
                let mut output = call.tool_response;
                output["stdout"] = json!("******");
                Ok(HookOutput::pass().update_output(output))
            });
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "******");
    })
    .await;
}

/// Both are called; the handler never decides and is cancelled.
#[tokio::test]
async fn hook_decides_before_the_permission_handler() {
    world::pinned(async |world| {
        running(world, "touch asked");
        let options = world
            .options()
            .hook(Matcher::tool("Bash"), async |_: PermissionRequest, _| {
                Ok(HookOutput::allow().update_input(json!({"command": "touch by-hook"})))
            })
            .permissions(async |_: Asked<CanUseTool>| pending().await);
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        assert!(world.cwd().join("by-hook").exists());
        assert!(!world.cwd().join("asked").exists());
    })
    .await;
}

/// The call runs, and then the turn ends.
#[tokio::test]
async fn stop_ends_the_turn_after_the_call() {
    world::pinned(async |world| {
        let call = json!({"command": "echo hi"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("Next.");
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PostToolUse, _| {
                Ok(HookOutput::stop("enough for today"))
            });
        let mut client = world.connect(options).await;

        let turn = client.send("Go.").await.unwrap();
        let messages = world.read(turn).await;

        let reason = result_of(&messages).terminal_reason.as_ref();
        assert_eq!(
            reason.map(ToString::to_string).as_deref(),
            Some("hook_stopped")
        );
        assert_eq!(
            world.model.conversation().len(),
            1,
            "the model got no further request"
        );
        assert_eq!(world.ask(&mut client, "Go on.").await, "Next.");
    })
    .await;
}

#[tokio::test]
async fn hook_and_permission_handler_decode_the_input_of_bash() {
    world::pinned(async |world| {
        let input = json!({
            "command": "touch a && echo typed", "timeout": 5000, "description": "Creates a file",
            "run_in_background": false,
        });
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", Bash::TOOL, input))
            .turn("Done.");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let (asked, ran) = (sender.clone(), sender.clone());
        let options = world
            .options()
            .hook(
                Matcher::tool_of::<Bash>(),
                async move |call: PreToolUse, _| {
                    sender.send(call.input_as::<Bash>()?)?;
                    Ok(HookOutput::pass())
                },
            )
            .permissions(async move |call: Asked<CanUseTool>| {
                asked.send(call.input_as::<Bash>()?)?;
                Ok(Decision::allow())
            })
            .hook(
                Matcher::tool_of::<Bash>(),
                async move |call: PostToolUse, _| {
                    ran.send(call.input_as::<Bash>()?)?;
                    Ok(HookOutput::pass())
                },
            );
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Go.").await;

        for _ in ["hook", "handler", "hook after the call"] {
            let bash = receiver.recv().await.unwrap();
            assert_eq!(bash.command, "touch a && echo typed");
            assert_eq!(bash.timeout, Some(5000.0));
            assert_eq!(bash.description.as_deref(), Some("Creates a file"));
        }
        let seen = world.model.conversation()[1].tool_results();
        assert_eq!((seen[0].text.as_str(), seen[0].is_error), ("typed", false));
    })
    .await;
}
