//! Policies with built-in tools: the CLI applies the rules, other calls go to the handler.

use std::fs;

use inhouse::Options;
use inhouse::options::{McpServer, PermissionMode};
use inhouse::permission::{CanUseTool, Decision, Policy, Rule};
use inhouse_testkit::Turn;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::seen;
use crate::mcp::script;
use crate::world::{self, World};

/// The outcome of one call.
#[derive(Debug, PartialEq)]
enum Outcome {
    Ran,
    Asked,
    Denied,
}
use Outcome::{Asked, Denied, Ran};

/// Lets the model make calls in sequence, and returns the outcome of each. The handler denies, so that
/// nothing runs by accident.
async fn outcomes(
    world: &World,
    options: Options,
    policy: Policy,
    calls: &[(&str, Value)],
) -> Vec<Outcome> {
    for (number, (tool, input)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}");
        world
            .model
            .turn(Turn::new().tool_use_with_id(id, *tool, input.clone()));
    }
    world.model.turn("Done.");
    let (sender, mut events) = mpsc::unbounded_channel();
    let policy = policy.otherwise(async move |asked: inhouse::Asked<CanUseTool>| {
        sender
            .send(asked.request.tool_use_id.clone())
            .expect("the test holds the receiver");
        Ok(Decision::deny("asked"))
    });
    let mut client = world.connect(options.permissions(policy)).await;
    assert_eq!(world.ask(&mut client, "Go.").await, "Done.");
    world.model.assert_done();
    let mut asked_ids = Vec::new();
    while let Ok(id) = events.try_recv() {
        asked_ids.push(id);
    }
    let fate = |result: inhouse_testkit::model::ToolResult| match result.is_error {
        false => Ran,
        true if asked_ids.contains(&result.id) => Asked,
        true => Denied,
    };
    seen(world).into_iter().map(fate).collect()
}

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": command}))
}

fn read(world: &World, file: &str) -> (&'static str, Value) {
    ("Read", json!({"file_path": world.cwd().join(file)}))
}

fn parrot(world: &World) -> Options {
    let server = McpServer::stdio("/bin/sh")
        .args([script(world).to_str().unwrap()])
        .env("LINE", "Ahoy!")
        .always_load(true);
    world.options().mcp_server("parrot", server)
}

#[tokio::test]
async fn commands_are_allowed_denied_and_asked_about() {
    let scenario = async |world: &World| {
        let policy = Policy::new()
            .allow("Bash(touch *)")
            .deny("Bash(rm *)")
            .ask("Bash(echo *)");
        let calls = [
            bash("touch a"),
            bash("rm a"),
            bash("echo hello"),
            bash("mkdir b"),
            bash("touch c && rm a"),
            bash("touch c && mkdir d"),
        ];
        let outcomes = outcomes(world, world.options(), policy, &calls).await;
        assert_eq!(outcomes, [Ran, Denied, Asked, Asked, Denied, Asked]);
        assert!(world.cwd().join("a").exists(), "it is not removed");
    };
    world::pinned(scenario).await;
    world::oldest(scenario).await;
}

#[tokio::test]
async fn file_rules_apply_to_calls_that_need_no_permission() {
    world::pinned(async |world| {
        for file in ["open.txt", "secret.txt", "odd.txt"] {
            fs::write(world.cwd().join(file), "text").unwrap();
        }
        let policy = Policy::new().deny("Read(secret*)").ask("Read(odd*)");
        let calls = [
            read(world, "open.txt"),
            read(world, "secret.txt"),
            read(world, "odd.txt"),
        ];
        let outcomes = outcomes(world, world.options(), policy, &calls).await;
        assert_eq!(outcomes, [Ran, Denied, Asked]);
    })
    .await;
}

#[tokio::test]
async fn tools_of_a_server_are_allowed_denied_and_asked_about() {
    type Rules = fn(Policy) -> Policy;
    let call = || [("mcp__parrot__speak", json!({}))];
    let table: [(Rules, Outcome); 7] = [
        (|policy| policy, Asked),
        (|policy| policy.allow("mcp__parrot"), Ran),
        (|policy| policy.allow("mcp__parrot__*"), Ran),
        (|policy| policy.allow("mcp__parrot__sp*"), Ran),
        (
            |policy| policy.allow("mcp__parrot__speak").ask("mcp__*"),
            Asked,
        ),
        (
            |policy| policy.allow("mcp__parrot").deny("mcp__parrot__speak"),
            Denied,
        ),
        (|policy| policy.allow("mcp__parrot").deny("mcp__*"), Denied),
    ];
    for (rules, fate) in table {
        world::pinned(async |world| {
            let outcomes = outcomes(world, parrot(world), rules(Policy::new()), &call()).await;
            assert_eq!(outcomes, [fate]);
        })
        .await;
    }
}

#[tokio::test]
async fn denied_tool_is_not_offered() {
    world::pinned(async |world| {
        let policy = Policy::new().deny("Bash");
        let outcomes = outcomes(world, world.options(), policy, &[bash("echo hello")]).await;
        assert_eq!(outcomes, [Denied]);
        let requests = world.model.conversation();
        assert!(!requests[0].tools().contains(&"Bash"));
    })
    .await;
}

#[tokio::test]
async fn rule_content_with_separators_applies() {
    world::pinned(async |world| {
        let smile = Rule::new("Bash", "touch ':) a, b'").unwrap();
        let policy = Policy::new().allow(smile).deny("Bash(echo (a) b, c)");
        let calls = [
            bash("touch ':) a, b'"),
            bash("echo (a) b, c"),
            bash("touch ':)'"),
        ];
        let outcomes = outcomes(world, world.options(), policy, &calls).await;
        assert_eq!(outcomes, [Ran, Denied, Asked]);
    })
    .await;
}

#[tokio::test]
async fn policy_applies_without_settings_files_and_in_every_mode() {
    world::pinned(async |world| {
        let policy = Policy::new().deny("Bash(rm *)").allow("Bash(touch *)");
        let options = world
            .options()
            .setting_sources([])
            .permission_mode(PermissionMode::AcceptEdits);
        let calls = [bash("touch a"), bash("rm a")];
        assert_eq!(
            outcomes(world, options, policy, &calls).await,
            [Ran, Denied]
        );
        assert!(world.cwd().join("a").exists());
    })
    .await;
}

#[tokio::test]
async fn calls_without_rule_and_handler_are_denied_with_a_reason() {
    world::pinned(async |world| {
        super::run(world, "mkdir b");
        let options = world
            .options()
            .permissions(Policy::new().allow("Bash(touch *)"));
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

        let seen = seen(world);
        assert!(seen[0].is_error);
        assert!(seen[0].text.contains("policy of this session"), "{seen:?}");
        assert!(!world.cwd().join("b").exists());
    })
    .await;
}
