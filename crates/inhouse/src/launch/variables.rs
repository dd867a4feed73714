use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use super::{Environment, HostEnvironment};
use crate::options::Options;

/// What another host said about itself; repeated, it would be a false promise to the CLI.
const HOST_MARKERS: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP",
    "CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES",
    "CLAUDE_CODE_QUESTION_EXTENDED",
    "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
    "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
    "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH",
    "CLAUDE_CODE_SDK_READS_STARTUP_MARKS",
];

/// Requests that the CLI makes only if a variable says that the host has a handler for them.
const ANSWERED_REQUESTS: [(&str, &str); 2] = [
    ("oauth_token_refresh", "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH"),
    (
        "host_auth_token_refresh",
        "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
    ),
];

const READS_SESSION_STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
const BACKGROUND_CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
const DEFAULT_BACKGROUND_CEILING: Duration = Duration::from_secs(600);

/// The changes to the environment of the CLI.
pub(super) fn environment(options: &Options, host: &HostEnvironment) -> Environment {
    let wanted = &options.environment;
    let mut env = Environment {
        clear: wanted.clean,
        ..Environment::default()
    };
    if !wanted.clean {
        env.remove.extend(HOST_MARKERS.map(OsString::from));
        if options.process.cwd.is_some() {
            // Of the host's directory, and wrong in any other.
            env.remove.insert("PWD".into());
        }
    }
    env.set = own(options, host);
    for name in &wanted.removed {
        env.set.remove(name);
        env.remove.insert(name.clone());
    }
    for (name, value) in &wanted.set {
        env.set.insert(name.clone(), value.0.clone());
    }
    env.remove.retain(|name| !env.set.contains_key(name));
    env
}

/// How long to wait for background work; `None` is without limit.
pub(super) fn background_ceiling(options: &Options, host: &HostEnvironment) -> Option<Duration> {
    let from_variable = || {
        let text = child_variable(options, host, BACKGROUND_CEILING)?;
        let millis = text.to_str()?.trim().parse().ok()?;
        Some(Duration::from_millis(millis))
    };
    let ceiling = options
        .timing
        .background_ceiling
        .or_else(from_variable)
        .unwrap_or(DEFAULT_BACKGROUND_CEILING);
    (!ceiling.is_zero()).then_some(ceiling)
}

/// The value that a variable will have in the CLI, as far as inhouse does not set it itself.
fn child_variable<'a>(
    options: &'a Options,
    host: &'a HostEnvironment,
    name: &str,
) -> Option<&'a OsStr> {
    let wanted = &options.environment;
    let name = OsStr::new(name);
    if let Some(value) = wanted.set.get(name) {
        return Some(&value.0);
    }
    if wanted.clean || wanted.removed.contains(name) {
        return None;
    }
    host.get(name)
}

/// What inhouse sets by itself, or because an option stands for a variable.
fn own(options: &Options, host: &HostEnvironment) -> BTreeMap<OsString, OsString> {
    let mut own = BTreeMap::new();
    let mut set = |name: &str, value: &OsStr| own.insert(name.into(), value.to_owned());
    set("CLAUDE_CODE_ENTRYPOINT", "sdk-cli".as_ref());
    set(
        "CLAUDE_AGENT_SDK_VERSION",
        env!("CARGO_PKG_VERSION").as_ref(),
    );
    if !is_mentioned(READS_SESSION_STATE, options, host) {
        set(READS_SESSION_STATE, "1".as_ref());
    }
    for (subtype, marker) in ANSWERED_REQUESTS {
        if options.requests.handlers.subtypes().any(|it| it == subtype) {
            set(marker, "1".as_ref());
        }
    }
    if let Some(cwd) = options
        .process
        .cwd
        .as_deref()
        .filter(|cwd| cwd.is_absolute())
    {
        set("PWD", Path::as_os_str(cwd));
    }
    if options.session.file_checkpointing {
        set("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true".as_ref());
    }
    if let Some(format) = options.tools.question_preview {
        set(
            "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
            format.as_str().as_ref(),
        );
    }
    if let Some(label) = &options.process.client_app {
        set("CLAUDE_AGENT_SDK_CLIENT_APP", label.as_ref());
    }
    if let Some(ceiling) = options.timing.background_ceiling {
        set(BACKGROUND_CEILING, ceiling.as_millis().to_string().as_ref());
    }
    own
}

/// Whether the user or the inherited environment has an opinion on a variable, whatever the case of
/// its letters.
fn is_mentioned(name: &str, options: &Options, host: &HostEnvironment) -> bool {
    let wanted = &options.environment;
    let inherited = host.names().filter(|_| !wanted.clean);
    let mut names = inherited
        .chain(wanted.set.keys().map(OsString::as_os_str))
        .chain(wanted.removed.iter().map(OsString::as_os_str));
    names.any(|mentioned| mentioned.eq_ignore_ascii_case(name))
}
