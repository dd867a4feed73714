use std::ffi::OsStr;
use std::time::Duration;

use inhouse::Options;
use inhouse::launch::{HostEnvironment, Launch};
use serde_json::{Value, json};

use super::{plan, plan_on};

const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
const STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";

fn set<'a>(launch: &'a Launch, name: &str) -> Option<&'a str> {
    let value = launch.command.env.set.get(OsStr::new(name))?;
    Some(value.to_str().expect("Unicode"))
}

fn removes(launch: &Launch, name: &str) -> bool {
    launch.command.env.remove.contains(OsStr::new(name))
}

/// A host may itself run inside of Claude Code.
#[test]
fn trap_22_claudecode_is_not_inherited() {
    let host = HostEnvironment::from_iter([("CLAUDECODE", "1")]);
    assert!(removes(&plan_on(&Options::new(), &host), "CLAUDECODE"));

    let insisting = plan_on(&Options::new().env("CLAUDECODE", "1"), &host);
    assert!(!removes(&insisting, "CLAUDECODE"));
    assert_eq!(set(&insisting, "CLAUDECODE"), Some("1"));
}

#[test]
fn the_users_variables_win_over_ours() {
    let launch = plan(
        &Options::new()
            .env("CLAUDE_CODE_ENTRYPOINT", "mine")
            .env_remove("CLAUDE_AGENT_SDK_VERSION"),
    );
    assert_eq!(set(&launch, "CLAUDE_CODE_ENTRYPOINT"), Some("mine"));
    assert_eq!(set(&launch, "CLAUDE_AGENT_SDK_VERSION"), None);
    assert!(removes(&launch, "CLAUDE_AGENT_SDK_VERSION"));
}

#[test]
fn handlers_of_token_requests_set_their_markers() {
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
        assert!(removes(&without, marker), "that of another host");
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
fn the_last_word_on_a_variable_counts() {
    let removed = plan(&Options::new().env("A", "1").env_remove("A"));
    assert_eq!((set(&removed, "A"), removes(&removed, "A")), (None, true));
    let restored = plan(&Options::new().env_remove("A").env("A", "2"));
    assert_eq!(
        (set(&restored, "A"), removes(&restored, "A")),
        (Some("2"), false)
    );
}

#[test]
fn session_state_is_asked_for_unless_somebody_has_an_opinion() {
    assert_eq!(set(&plan(&Options::new()), STATE), Some("1"));

    let lower = STATE.to_lowercase();
    let host = HostEnvironment::from_iter([(lower.clone(), "0")]);
    assert_eq!(set(&plan_on(&Options::new(), &host), STATE), None);
    assert_eq!(
        set(&plan_on(&Options::new().clean_env(), &host), STATE),
        Some("1")
    );
    assert_eq!(set(&plan(&Options::new().env(&lower, "0")), STATE), None);
    assert_eq!(set(&plan(&Options::new().env_remove(STATE)), STATE), None);
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
fn the_background_ceiling_is_the_option_else_the_variable_else_ten_minutes() {
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

/// What the standard library makes of it: the child says which variables it got.
#[cfg(unix)]
#[test]
fn a_clean_environment_has_only_what_was_set() {
    let options = Options::new().clean_env().env("ONLY", "this");
    let launch = Launch::plan(&options, "/usr/bin/env", &HostEnvironment::current()).unwrap();
    let mut command = launch.command.clone();
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
            "ONLY"
        ]
    );
}
