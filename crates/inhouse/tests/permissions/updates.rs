//! Permission updates of a decision.

use inhouse::permission::{
    Decision, PermissionBehavior, PermissionMode, PermissionRule, PermissionUpdate, Rule,
    UpdateDestination,
};
use serde_json::{Value, json};

use crate::support::payload_of;

const DESTINATIONS: [(UpdateDestination, &str); 5] = [
    (UpdateDestination::UserSettings, "userSettings"),
    (UpdateDestination::ProjectSettings, "projectSettings"),
    (UpdateDestination::LocalSettings, "localSettings"),
    (UpdateDestination::Session, "session"),
    (UpdateDestination::CliArg, "cliArg"),
];

const BEHAVIORS: [(PermissionBehavior, &str); 3] = [
    (PermissionBehavior::Allow, "allow"),
    (PermissionBehavior::Deny, "deny"),
    (PermissionBehavior::Ask, "ask"),
];

async fn assert_sent(update: impl Into<PermissionUpdate>, expected: Value) {
    let answer = payload_of(Decision::allow().remember(update)).await;
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["updatedPermissions"], json!([expected]));
}

#[tokio::test(start_paused = true)]
async fn rules_are_added_replaced_and_removed_in_every_destination() {
    let rules = || {
        let some: Rule = "Bash(git log *)".parse().unwrap();
        [PermissionRule::new("Read"), some.into()]
    };
    let sent = json!([{"toolName": "Read"}, {"toolName": "Bash", "ruleContent": "git log *"}]);
    for (destination, kept) in DESTINATIONS {
        for (behavior, says) in BEHAVIORS {
            let expected = |kind: &str| json!({"type": kind, "rules": sent, "behavior": says, "destination": kept});
            let (b, d) = (|| behavior.clone(), || destination.clone());
            assert_sent(
                PermissionUpdate::add_rules(rules(), b(), d()),
                expected("addRules"),
            )
            .await;
            assert_sent(
                PermissionUpdate::replace_rules(rules(), b(), d()),
                expected("replaceRules"),
            )
            .await;
            assert_sent(
                PermissionUpdate::remove_rules(rules(), b(), d()),
                expected("removeRules"),
            )
            .await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn mode_is_set_in_every_destination() {
    for (destination, kept) in DESTINATIONS {
        let update = PermissionUpdate::set_mode(PermissionMode::AcceptEdits, destination);
        let expected = json!({"type": "setMode", "mode": "acceptEdits", "destination": kept});
        assert_sent(update, expected).await;
    }
}

#[tokio::test(start_paused = true)]
async fn directories_are_added_and_removed_in_every_destination() {
    for (destination, kept) in DESTINATIONS {
        let add = PermissionUpdate::add_directories(["/srv", "/tmp"], destination.clone());
        let expected =
            |kind| json!({"type": kind, "directories": ["/srv", "/tmp"], "destination": kept});
        assert_sent(add, expected("addDirectories")).await;
        let remove = PermissionUpdate::remove_directories(["/srv", "/tmp"], destination);
        assert_sent(remove, expected("removeDirectories")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn several_changes_keep_their_order() {
    let decision = Decision::allow()
        .remember(PermissionUpdate::set_mode(
            PermissionMode::Plan,
            UpdateDestination::Session,
        ))
        .remember(PermissionUpdate::add_directories(
            ["/srv"],
            UpdateDestination::Session,
        ));
    let answer = payload_of(decision).await;
    let updates = answer["updatedPermissions"].as_array().unwrap();
    let kinds: Vec<&Value> = updates.iter().map(|update| &update["type"]).collect();
    assert_eq!(kinds, ["setMode", "addDirectories"]);
}
