//! Decisions that are remembered.

use std::fs;

use inhouse::Asked;
use inhouse::permission::{
    CanUseTool, Decision, PermissionBehavior, PermissionRule, PermissionUpdate, Rule,
    UpdateDestination,
};
use inhouse_testkit::Turn;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::world::{self, World};

/// Returns how often a handler with this decision is called when the model runs these commands, one per
/// turn.
async fn count_requests(world: &World, decision: Decision, commands: &[&str]) -> usize {
    for (number, command) in commands.iter().enumerate() {
        let call = json!({"command": command});
        world
            .model
            .turn(Turn::new().tool_use_with_id(format!("toolu_{number}"), "Bash", call))
            .turn("Done.");
    }
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = world
        .options()
        .permissions(async move |_: Asked<CanUseTool>| {
            sender.send(()).expect("the test holds the receiver");
            Ok(decision)
        });
    let mut client = world.connect(options).await;
    for _ in commands {
        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");
    }
    world.model.assert_done();
    drop(client);
    let mut count = 0;
    while events.try_recv().is_ok() {
        count += 1;
    }
    count
}

fn session_rule(rule: impl Into<PermissionRule>) -> PermissionUpdate {
    let allow = PermissionBehavior::Allow;
    PermissionUpdate::add_rules([rule.into()], allow, UpdateDestination::Session)
}

#[tokio::test]
async fn decision_that_is_not_remembered_is_asked_again() {
    world::pinned(async |world| {
        let count = count_requests(world, Decision::allow(), &["touch a", "touch a"]).await;
        assert_eq!(count, 2);
    })
    .await;
}

#[tokio::test]
async fn rule_for_a_tool_prevents_the_second_request() {
    world::pinned(async |world| {
        let remember = Decision::allow().remember(session_rule(PermissionRule::new("Bash")));
        assert_eq!(
            count_requests(world, remember, &["touch a", "mkdir b"]).await,
            1
        );
        assert!(world.cwd().join("b").exists());
    })
    .await;
}

#[tokio::test]
async fn rule_with_content_covers_only_that_content() {
    world::pinned(async |world| {
        let rule: Rule = "Bash(touch *)".parse().unwrap();
        let remember = Decision::allow().remember(session_rule(rule));
        let commands = ["touch a", "touch b", "mkdir c", "touch d && mkdir e"];
        assert_eq!(count_requests(world, remember, &commands).await, 3);
    })
    .await;
}

#[tokio::test]
async fn suggestions_prevent_the_second_request_and_are_persisted() {
    world::pinned(async |world| {
        let remember = Decision::allow().remember_suggestions();
        assert_eq!(
            count_requests(world, remember, &["touch a", "touch a"]).await,
            1
        );
        let kept = fs::read_to_string(world.cwd().join(".claude/settings.local.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        let rules = kept["permissions"]["allow"].as_array().unwrap();
        assert!(!rules.is_empty(), "{kept}");
        let count = count_requests(world, Decision::deny("asked again"), &["touch a"]).await;
        assert_eq!(count, 0);
    })
    .await;
}
