use std::ffi::OsStr;
use std::time::Duration;

use inhouse::Options;
use inhouse::launch::{HostEnvironment, Plan};
use serde_json::{Value, json};

use super::{plan, plan_on};

const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
const STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
const MARKS: &str = "CLAUDE_CODE_SDK_READS_STARTUP_MARKS";

fn set<'a>(plan: &'a Plan, name: &str) -> Option<&'a str> {
    let value = plan.launch.command.env.set.get(OsStr::new(name))?;
    Some(value.to_str().expect("Unicode"))
}

fn removes(plan: &Plan, name: &str) -> bool {
    plan.launch.command.env.remove.contains(OsStr::new(name))
}

/// A host may itself run inside Claude Code.
#[test]
fn promise_22_claudecode_is_not_inherited() {
    let host = HostEnvironment::from_iter([("CLAUDECODE", "1")]);
    assert!(removes(&plan_on(&Options::new(), &host), "CLAUDECODE"));

    let explicit = plan_on(&Options::new().env("CLAUDECODE", "1"), &host);
    assert!(!removes(&explicit, "CLAUDECODE"));
    assert_eq!(set(&explicit, "CLAUDECODE"), Some("1"));
}

#[test]
fn variables_of_the_user_take_precedence() {
    let plan = plan(
        &Options::new()
            .env("CLAUDE_CODE_ENTRYPOINT", "mine")
            .env_remove("CLAUDE_AGENT_SDK_VERSION"),
    );
    assert_eq!(set(&plan, "CLAUDE_CODE_ENTRYPOINT"), Some("mine"));
    assert_eq!(set(&plan, "CLAUDE_AGENT_SDK_VERSION"), None);
    assert!(removes(&plan, "CLAUDE_AGENT_SDK_VERSION"));
}

#[test]
fn handlers_of_token_requests_set_their_variables() {
    let markers = [
        ("oauth_token_refresh", "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH"),
        (
            "host_auth_token_refresh",
            "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
        ),
    ];
    let other = Options::new().on_request("other", async |_: Value| Ok::<_, String>(json!({})));
    for (subtype, marker) in markers {
        let without = plan(&other);
        assert_eq!(set(&without, marker), None);
        assert!(
            removes(&without, marker),
            "the variable of another host is inherited"
        );
        let answering = other
            .clone()
            .on_request(subtype, async |_: Value| Ok::<_, String>(json!({})));
        let with = plan(&answering);
        assert_eq!(set(&with, marker), Some("1"));
        assert!(!removes(&with, marker));
        assert_eq!(set(&plan(&answering.env(marker, "0")), marker), Some("0"));
    }
}

#[test]
fn last_change_of_a_variable_takes_precedence() {
    let removed = plan(&Options::new().env("A", "1").env_remove("A"));
    assert_eq!((set(&removed, "A"), removes(&removed, "A")), (None, true));
    let restored = plan(&Options::new().env_remove("A").env("A", "2"));
    assert_eq!(
        (set(&restored, "A"), removes(&restored, "A")),
        (Some("2"), false)
    );
}

#[test]
fn state_and_startup_marks_are_requested_unless_the_variable_is_mentioned() {
    for name in [STATE, MARKS] {
        assert_eq!(set(&plan(&Options::new()), name), Some("1"));

        let lower = name.to_lowercase();
        let host = HostEnvironment::from_iter([(lower.clone(), "0")]);
        assert_eq!(set(&plan_on(&Options::new(), &host), name), None);
        assert_eq!(
            set(&plan_on(&Options::new().clean_env(), &host), name),
            Some("1")
        );
        assert_eq!(set(&plan(&Options::new().env(&lower, "0")), name), None);
        assert_eq!(set(&plan(&Options::new().env_remove(name)), name), None);
    }
}

#[test]
fn variables_of_javascript_programs_are_not_inherited() {
    let host = HostEnvironment::from_iter([("NODE_OPTIONS", "--inspect"), ("DEBUG", "*")]);
    for name in ["NODE_OPTIONS", "DEBUG"] {
        let inherited = plan_on(&Options::new(), &host);
        assert_eq!(
            (set(&inherited, name), removes(&inherited, name)),
            (None, true)
        );
        let explicit = plan_on(&Options::new().env(name, "mine"), &host);
        assert_eq!(
            (set(&explicit, name), removes(&explicit, name)),
            (Some("mine"), false)
        );
        let clean = plan_on(&Options::new().clean_env(), &host);
        assert_eq!((set(&clean, name), removes(&clean, name)), (None, false));
    }
}

#[test]
fn debug_is_set_if_the_debug_variable_of_the_official_sdk_is_on() {
    const SDK: &str = "DEBUG_CLAUDE_AGENT_SDK";
    for (value, debug) in [
        ("1", Some("1")),
        ("TRUE", Some("1")),
        ("yes", Some("1")),
        ("on", Some("1")),
        ("0", None),
        ("", None),
    ] {
        let host = HostEnvironment::from_iter([(SDK, value), ("DEBUG", "*")]);
        let inherited = plan_on(&Options::new(), &host);
        assert_eq!(set(&inherited, "DEBUG"), debug, "{value}");
        assert_eq!(removes(&inherited, "DEBUG"), debug.is_none(), "{value}");
        let explicit = plan(&Options::new().env(SDK, value));
        assert_eq!(set(&explicit, "DEBUG"), debug, "{value}");
    }
    let host = HostEnvironment::from_iter([(SDK, "1")]);
    let mine = plan_on(&Options::new().env("DEBUG", "mine"), &host);
    assert_eq!(set(&mine, "DEBUG"), Some("mine"));
}

#[test]
fn pwd_follows_the_working_directory() {
    assert_eq!(set(&plan(&Options::new()), "PWD"), None);
    assert!(!removes(&plan(&Options::new()), "PWD"));

    let directory = if cfg!(windows) { r"C:\work" } else { "/work" };
    assert_eq!(
        set(&plan(&Options::new().cwd(directory)), "PWD"),
        Some(directory)
    );

    let relative = plan(&Options::new().cwd("work"));
    assert_eq!(
        (set(&relative, "PWD"), removes(&relative, "PWD")),
        (None, true)
    );
}

#[test]
fn background_ceiling_is_the_option_else_the_variable_else_600_s() {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let host = |value| HostEnvironment::from_iter([(CEILING, value)]);
    let ceiling =
        |options: Options, host: &HostEnvironment| plan_on(&options, host).background_ceiling;
    let new = Options::new;

    assert_eq!(ceiling(new(), &HostEnvironment::default()), seconds(600));
    assert_eq!(ceiling(new(), &host("2000")), seconds(2));
    assert_eq!(ceiling(new(), &host("0")), None);
    assert_eq!(ceiling(new(), &host("soon")), seconds(600));
    assert_eq!(ceiling(new().clean_env(), &host("2000")), seconds(600));
    assert_eq!(
        ceiling(new().env(CEILING, "3000"), &host("2000")),
        seconds(3)
    );
    assert_eq!(
        ceiling(new().env_remove(CEILING), &host("2000")),
        seconds(600)
    );

    let option = new().background_ceiling(Duration::from_secs(7));
    assert_eq!(ceiling(option.clone(), &host("2000")), seconds(7));
    assert_eq!(set(&plan(&option), CEILING), Some("7000"));
    assert_eq!(
        ceiling(new().background_ceiling(Duration::ZERO), &host("2000")),
        None
    );
}

/// Starts a child that prints its variables.
#[cfg(unix)]
#[test]
fn clean_environment_has_only_the_variables_that_are_set() {
    let options = Options::new().clean_env().env("ONLY", "this");
    let plan = Plan::new(&options, "/usr/bin/env", &HostEnvironment::current()).unwrap();
    let mut command = plan.launch.command.clone();
    command.args.clear();
    let output = command.to_command().output().unwrap();
    let mut names: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.split('=').next().unwrap().to_owned())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "CLAUDE_AGENT_SDK_VERSION",
            "CLAUDE_CODE_ENTRYPOINT",
            STATE,
            MARKS,
            "ONLY"
        ]
    );
}
