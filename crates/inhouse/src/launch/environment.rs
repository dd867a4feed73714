use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;

use super::problems::Problems;
use crate::options::Options;

/// Variables that another host set about itself, which the CLI must not inherit.
///
/// A host that runs inside a session inherits them; they would announce capabilities that this host
/// does not have. `CLAUDECODE` marks such a nested process.
const HOST_MARKERS: [&str; 7] = [
    "CLAUDECODE",
    "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP",
    "CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES",
    "CLAUDE_CODE_QUESTION_EXTENDED",
    "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
    "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
    "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH",
];

/// Variables for the JavaScript programs of the host's user, which would change how the CLI runs.
const JAVASCRIPT_VARIABLES: [&str; 2] = ["DEBUG", "NODE_OPTIONS"];

/// Makes the CLI log its debug messages: the variable turns `DEBUG` on, as in the official TypeScript SDK.
///
/// That SDK also writes a separate log, and adds `--debug-file`. Here `tracing` is the log, and
/// `Options::debug_file` names the file.
const DEBUG_SDK: &str = "DEBUG_CLAUDE_AGENT_SDK";

/// Makes the CLI report the state of the session.
const READS_SESSION_STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";

/// Makes the CLI report the steps of its start, for the error of a connect that times out.
const READS_STARTUP_MARKS: &str = "CLAUDE_CODE_SDK_READS_STARTUP_MARKS";

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let environment = &options.environment;
    for name in environment.set.keys().chain(&environment.removed) {
        let bytes = name.as_encoded_bytes();
        let flaw = if bytes.is_empty() {
            "is empty"
        } else if bytes.contains(&b'=') {
            "contains `=`"
        } else if bytes.contains(&0) {
            "contains a NUL"
        } else {
            continue;
        };
        problems.add(format!(
            "the name of the variable {name:?} {flaw}; correct it"
        ));
    }
}

/// Returns the changes to the environment of the CLI: removals, the variables that options `set`,
/// and those of the user, which take precedence.
pub(super) fn changes(
    options: &Options,
    host: &HostEnvironment,
    set: BTreeMap<OsString, OsString>,
) -> Environment {
    let user = &options.environment;
    let mut env = Environment {
        clear: user.clean,
        remove: BTreeSet::new(),
        set,
    };
    env.set
        .insert("CLAUDE_CODE_ENTRYPOINT".into(), "sdk-cli".into());
    env.set.insert(
        "CLAUDE_AGENT_SDK_VERSION".into(),
        env!("CARGO_PKG_VERSION").into(),
    );
    for name in [READS_SESSION_STATE, READS_STARTUP_MARKS] {
        if !is_mentioned(name, options, host) {
            env.set.insert(name.into(), "1".into());
        }
    }
    #[cfg(feature = "opentelemetry")]
    add_trace_context(options, &mut env);
    if !user.clean {
        env.remove.extend(HOST_MARKERS.map(OsString::from));
        env.remove.extend(JAVASCRIPT_VARIABLES.map(OsString::from));
    }
    if child_variable(options, host, DEBUG_SDK).is_some_and(is_on) {
        env.set.insert("DEBUG".into(), "1".into());
    }
    if let Some(cwd) = &options.process.cwd {
        if cwd.is_absolute() {
            env.set.insert("PWD".into(), cwd.into());
        }
        if !user.clean {
            // The inherited value names the directory of the host.
            env.remove.insert("PWD".into());
        }
    }
    for name in &user.removed {
        env.set.remove(name);
        env.remove.insert(name.clone());
    }
    for (name, value) in &user.set {
        env.set.insert(name.clone(), value.0.clone());
    }
    env.remove.retain(|name| !env.set.contains_key(name));
    env
}

/// Adds the trace context of the current span, unless the user sets or removes it.
#[cfg(feature = "opentelemetry")]
fn add_trace_context(options: &Options, env: &mut Environment) {
    let user = &options.environment;
    let names = ["TRACEPARENT", "TRACESTATE"];
    let is_mentioned = |name: &str| {
        let name = OsStr::new(name);
        user.set.contains_key(name) || user.removed.contains(name)
    };
    let context = crate::telemetry::trace_context();
    // The two belong together: a state with the parent of another trace is not valid.
    if context.is_empty() || names.into_iter().any(is_mentioned) {
        return;
    }
    if !env.clear {
        // The inherited pair is that of the span in which the host was started.
        env.remove.extend(names.map(OsString::from));
    }
    let context = context.into_iter();
    env.set
        .extend(context.map(|(name, value)| (name.into(), value.into())));
}

/// Returns the value that a variable will have in the CLI, unless inhouse sets it.
pub(crate) fn child_variable<'a>(
    options: &'a Options,
    host: &'a HostEnvironment,
    name: &str,
) -> Option<&'a OsStr> {
    let user = &options.environment;
    let name = OsStr::new(name);
    if let Some(value) = user.set.get(name) {
        return Some(&value.0);
    }
    if user.clean || user.removed.contains(name) {
        return None;
    }
    host.get(name)
}

/// Returns whether the value of a variable turns something on, as the official TypeScript SDK reads it.
fn is_on(value: &OsStr) -> bool {
    let on = ["1", "true", "yes", "on"];
    on.iter().any(|text| value.eq_ignore_ascii_case(text))
}

/// Returns whether the user or the inherited environment mentions a variable, in any letter case.
fn is_mentioned(name: &str, options: &Options, host: &HostEnvironment) -> bool {
    let user = &options.environment;
    host.names()
        .filter(|_| !user.clean)
        .chain(user.set.keys().map(OsString::as_os_str))
        .chain(user.removed.iter().map(OsString::as_os_str))
        .any(|mentioned| mentioned.eq_ignore_ascii_case(name))
}

/// Changes to the environment that the CLI inherits, in the order of the fields.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// Whether the CLI inherits no variables.
    pub clear: bool,
    /// Variables that the CLI does not inherit.
    pub remove: BTreeSet<OsString>,
    /// Variables to set, with their values.
    pub set: BTreeMap<OsString, OsString>,
}

/// Shows the names of variables without their values.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("clear", &self.clear)
            .field("remove", &self.remove)
            .field("set", &self.set.keys())
            .finish()
    }
}

/// The environment that the CLI inherits.
///
/// [`current`](Self::current) returns that of this process; tests collect their own:
///
/// ```
/// use inhouse::launch::HostEnvironment;
///
/// let host = HostEnvironment::from_iter([("CLAUDECODE", "1")]);
/// assert_eq!(host.get("CLAUDECODE"), Some("1".as_ref()));
/// ```
#[derive(Clone, Default)]
pub struct HostEnvironment(BTreeMap<OsString, OsString>);

impl HostEnvironment {
    /// Returns the environment of this process.
    #[must_use]
    pub fn current() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns the names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.keys().map(OsString::as_os_str)
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for HostEnvironment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let variables = variables.into_iter();
        Self(
            variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// Shows the names of variables without their values.
impl fmt::Debug for HostEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
