use std::time::Duration;

use inhouse::Options;
use inhouse::hook::*;
use inhouse::launch::{HostEnvironment, Plan};
use inhouse::message::AssistantError;
use inhouse_proto::control::encode;
use serde_json::{Value, json};

/// Returns the `hooks` member of `initialize` for hooks that pass.
macro_rules! registered {
    ($( $event:ident: $matcher:expr; )+) => {{
        let options = Options::new()
            $( .hook($matcher, async |_: $event, _| Ok(HookOutput::pass())) )+;
        announced(&options)
    }};
}

fn announced(options: &Options) -> Value {
    let plan = Plan::new(options, "claude", &HostEnvironment::default());
    let initialize = plan.expect("the hooks are valid").initialize;
    let request: Value = serde_json::from_str(&encode(&initialize).unwrap()).unwrap();
    request["hooks"].clone()
}

#[test]
fn every_matcher_has_a_unique_callback_id() {
    assert_eq!(
        registered! {
            PreToolUse: Matcher::tool("Bash").timeout(Duration::from_millis(2500));
            Stop: Matcher::any();
            PreToolUse: Matcher::tools(["Write", "Edit"]).on_failure(OnFailure::Block);
            PreToolUse: Matcher::pattern("mcp__.*").timeout(Duration::from_secs(60));
        },
        json!({
            "PreToolUse": [
                {"matcher": "Bash", "hookCallbackIds": ["hook_0"], "timeout": 2.5},
                {"matcher": "Write|Edit", "hookCallbackIds": ["hook_2"], "onFailure": "block"},
                {"matcher": "mcp__.*", "hookCallbackIds": ["hook_3"], "timeout": 60},
            ],
            "Stop": [{"hookCallbackIds": ["hook_1"]}],
        })
    );
}

#[test]
fn hooks_with_clones_of_a_matcher_are_separate_callbacks() {
    let bash = Matcher::tool("Bash")
        .timeout(Duration::from_secs(5))
        .on_failure(OnFailure::Block);
    let hook = |index: usize| {
        json!({
            "matcher": "Bash", "hookCallbackIds": [format!("hook_{index}")], "timeout": 5,
            "onFailure": "block",
        })
    };
    assert_eq!(
        registered! {
            PreToolUse: bash.clone();
            PreToolUse: bash;
        },
        json!({"PreToolUse": [hook(0), hook(1)]})
    );
}

#[test]
fn initialize_has_no_hooks_without_hooks() {
    assert_eq!(announced(&Options::new()), Value::Null);
}

/// One row for each event with a matcher.
#[test]
fn matchers_use_the_field_that_the_cli_compares() {
    let hooks = registered! {
        PostToolUse: Matcher::tool("Bash");
        PostToolUseFailure: Matcher::tool("Bash");
        PermissionRequest: Matcher::tool("mcp__my-srv__add");
        PermissionDenied: Matcher::tool("Bash");
        SubagentStart: Matcher::agent("general-purpose");
        SubagentStop: Matcher::agent("Explore");
        SessionStart: Matcher::only(SessionSource::Clear);
        SessionEnd: Matcher::only(SessionEndReason::Clear);
        Setup: Matcher::only(SetupTrigger::Init);
        PreCompact: Matcher::only(CompactTrigger::Manual);
        PostCompact: Matcher::only(CompactTrigger::Auto);
        ConfigChange: Matcher::only(ConfigSource::UserSettings);
        InstructionsLoaded: Matcher::only(LoadReason::SessionStart);
        DirectoryAdded: Matcher::only(DirectorySource::RegisterRepoRoot);
        StopFailure: Matcher::only(AssistantError::RateLimit);
        Notification: Matcher::only("idle_prompt");
        UserPromptExpansion: Matcher::only("hello");
        Elicitation: Matcher::only("crm");
        ElicitationResult: Matcher::only("crm");
        PreModelSwitch: Matcher::only("claude-opus-5-5");
        PostModelSwitch: Matcher::only("claude-opus-5-5");
        FileChanged: Matcher::only("a.rs");
    };
    let matchers = hooks.as_object().unwrap().iter();
    let matchers: Vec<_> = matchers
        .map(|(event, hooks)| (event.as_str(), hooks[0]["matcher"].as_str().unwrap()))
        .collect();
    assert_eq!(
        matchers,
        [
            ("ConfigChange", "user_settings"),
            ("DirectoryAdded", "register_repo_root"),
            ("Elicitation", "crm"),
            ("ElicitationResult", "crm"),
            ("FileChanged", r"^a\.rs$"),
            ("InstructionsLoaded", "session_start"),
            ("Notification", "idle_prompt"),
            ("PermissionDenied", "Bash"),
            ("PermissionRequest", "mcp__my-srv__add"),
            ("PostCompact", "auto"),
            ("PostModelSwitch", "claude-opus-5-5"),
            ("PostToolUse", "Bash"),
            ("PostToolUseFailure", "Bash"),
            ("PreCompact", "manual"),
            ("PreModelSwitch", "claude-opus-5-5"),
            ("SessionEnd", "clear"),
            ("SessionStart", "clear"),
            ("Setup", "init"),
            ("StopFailure", "rate_limit"),
            ("SubagentStart", "general-purpose"),
            ("SubagentStop", "Explore"),
            ("UserPromptExpansion", "hello"),
        ]
    );
}

#[test]
fn resumed_session_waits_for_its_hooks() {
    let waits = |options: Options| {
        let plan = Plan::new(&options, "claude", &HostEnvironment::default()).unwrap();
        let mut arguments = plan.launch.command.args.iter();
        arguments.any(|argument| argument == "--await-initialize")
    };
    let with_hook = || {
        Options::new().hook(Matcher::any(), async |_: PreToolUse, _| {
            Ok(HookOutput::pass())
        })
    };
    assert!(waits(
        with_hook().resume("6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46")
    ));
    assert!(waits(with_hook().continue_latest()));
    assert!(!waits(with_hook()));
    assert!(!waits(Options::new().continue_latest()));
}
