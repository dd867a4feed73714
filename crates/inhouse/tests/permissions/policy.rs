//! Policies: rules are sent to the CLI, other calls go to the handler.

use inhouse::error::ErrorKind;
use inhouse::launch::{HostEnvironment, Plan};
use inhouse::permission::{CanUseTool, Decision, Policy, Rule};
use inhouse::{Asked, Options};
use serde_json::{Value, json};

use crate::support::{answer_to, bash, denial};

fn plan(options: &Options) -> inhouse::Result<Plan> {
    Plan::new(options, "claude", &HostEnvironment::default())
}

/// Returns the settings that the CLI gets.
fn settings(options: &Options) -> Value {
    let plan = plan(options).unwrap();
    let mut arguments = plan
        .launch
        .command
        .args
        .iter()
        .map(|it| it.to_str().unwrap());
    let text = arguments.find_map(|argument| argument.strip_prefix("--settings="));
    text.map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

fn ask() -> impl inhouse::permission::PermissionHandler {
    async |asked: Asked<CanUseTool>| {
        Ok(Decision::deny(format!(
            "asked about {}",
            asked.request.tool_name
        )))
    }
}

#[test]
fn policy_rules_are_session_settings() {
    let policy = Policy::new()
        .allow("mcp__calc")
        .allow("Read(src/**)")
        .deny("Bash(rm *)")
        .ask("Bash(git push *)")
        .otherwise(ask());
    assert_eq!(
        settings(&Options::new().permissions(policy)),
        json!({"permissions": {
            "allow": ["mcp__calc", "Read(src/**)"],
            "deny": ["Bash(rm *)"],
            "ask": ["Bash(git push *)"],
        }})
    );
}

#[test]
fn contents_with_parentheses_and_commas_survive() {
    let policy = Policy::new()
        .allow(r"Bash(echo (a) b, c)")
        .deny(Rule::new("Bash", "echo :) d").unwrap());
    assert_eq!(
        settings(&Options::new().permissions(policy)),
        json!({"permissions": {
            "allow": [r"Bash(echo \(a\) b, c)"],
            "deny": [r"Bash(echo :\) d)"],
        }})
    );
}

#[test]
fn handler_without_rules_adds_no_settings() {
    assert_eq!(settings(&Options::new().permissions(ask())), Value::Null);
    let policy = Policy::new().otherwise(ask());
    assert_eq!(settings(&Options::new().permissions(policy)), Value::Null);
}

#[test]
fn settings_of_the_user_are_kept() {
    let options = Options::new()
        .settings(
            json!({"model": "opus", "permissions": {"deny": ["Write"], "defaultMode": "plan"}}),
        )
        .permissions(Policy::new().deny("Bash"));
    assert_eq!(
        settings(&options),
        json!({"model": "opus", "permissions": {"deny": ["Write", "Bash"], "defaultMode": "plan"}})
    );
}

#[test]
fn policy_can_contain_another() {
    let inner = Policy::new().deny("WebFetch").otherwise(ask());
    let outer = Policy::new().allow("Read").otherwise(inner);
    assert_eq!(
        settings(&Options::new().permissions(outer)),
        json!({"permissions": {"allow": ["Read"], "deny": ["WebFetch"]}})
    );
}

#[tokio::test(start_paused = true)]
async fn calls_without_a_rule_go_to_the_handler() {
    let inner = Policy::new().deny("WebFetch").otherwise(ask());
    for policy in [inner.clone(), Policy::new().otherwise(inner)] {
        let options = Options::new().permissions(policy);
        assert_eq!(
            denial(answer_to(options, bash("ls")).await),
            "asked about Bash"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn calls_without_rule_and_handler_are_denied_by_the_policy() {
    let options = Options::new().permissions(Policy::new().allow("Read"));
    let message = denial(answer_to(options, bash("ls")).await);
    assert!(message.contains("policy"), "{message}");
    assert!(message.contains("Bash"), "{message}");
}

#[test]
fn invalid_rules_are_reported_together_before_the_start() {
    let policy = Policy::new()
        .allow("bash")
        .deny("Read(")
        .allow("mcp__*")
        .ask("mcp__a(b)");
    let error = plan(&Options::new().permissions(policy)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    let text = error.to_string();
    for words in [
        "4 problems",
        "write `Bash`",
        "`Read(`",
        "`mcp__*` allows nothing",
        "`mcp__a__b`",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn patterns_that_cannot_allow_can_deny() {
    for pattern in ["mcp__*", "*", "mcp__par*", "mcp__*__speak"] {
        let denied = Options::new().permissions(Policy::new().deny(pattern));
        assert_eq!(
            settings(&denied),
            json!({"permissions": {"deny": [pattern]}})
        );
        let asked = Options::new().permissions(Policy::new().ask(pattern));
        assert_eq!(settings(&asked), json!({"permissions": {"ask": [pattern]}}));
        let allowed = Options::new().permissions(Policy::new().allow(pattern));
        assert!(plan(&allowed).is_err(), "{pattern}");
    }
    for pattern in ["mcp__calc__*", "mcp__calc__ad*"] {
        let allowed = Options::new().permissions(Policy::new().allow(pattern));
        assert_eq!(
            settings(&allowed),
            json!({"permissions": {"allow": [pattern]}})
        );
    }
}

#[test]
fn malformed_permissions_in_settings_are_a_config_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("settings.json");
    let malformed = json!({"permissions": {"deny": "Bash"}});
    std::fs::write(&file, malformed.to_string()).unwrap();
    for options in [
        Options::new().settings(malformed.clone()),
        Options::new().settings(malformed.to_string()),
        Options::new().settings(file),
    ] {
        let error = plan(&options.permissions(Policy::new().deny("WebFetch"))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("`permissions.deny`"), "{error}");
    }
}
