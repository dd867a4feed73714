use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use inhouse::launch::Launch;
use serde_json::Value;

/// How a host started a fake CLI: command line, environment and `initialize` request.
///
/// Returned by [`launch`](super::launch) and [`FakeCli::launched`](super::FakeCli::launched).
#[derive(Clone, Debug, Default)]
pub struct Launched {
    args: Vec<String>,
    env: BTreeMap<String, String>,
    removed_env: Vec<String>,
    cwd: Option<PathBuf>,
    pub(super) initialize: Value,
}

impl Launched {
    pub(super) fn new(launch: &Launch) -> Self {
        let command = &launch.command;
        Self {
            args: command.args.iter().map(|arg| lossy(arg)).collect(),
            env: command
                .env
                .set
                .iter()
                .map(|(name, value)| (lossy(name), lossy(value)))
                .collect(),
            removed_env: command.env.remove.iter().map(|name| lossy(name)).collect(),
            cwd: command.cwd.clone(),
            initialize: Value::Null,
        }
    }

    /// Returns the arguments, without the program.
    #[must_use]
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// Returns whether this is one of the arguments, such as `--model=opus`.
    #[must_use]
    pub fn has_arg(&self, arg: &str) -> bool {
        self.args.iter().any(|other| other == arg)
    }

    /// Returns the value of an environment variable that the host sets; `None` for one that is inherited or not set.
    #[must_use]
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// Returns whether the host keeps the CLI from inheriting this environment variable.
    #[must_use]
    pub fn removes_env(&self, name: &str) -> bool {
        self.removed_env.iter().any(|other| other == name)
    }

    /// Returns the working directory; `None` if it is the host's.
    #[must_use]
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// Returns the `initialize` request; `null` before it is accepted.
    #[must_use]
    pub fn initialize(&self) -> &Value {
        &self.initialize
    }
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}
