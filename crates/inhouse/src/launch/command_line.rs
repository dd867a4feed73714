use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use super::Environment;

/// A program to start: what of, with which arguments, in which environment and where.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLine {
    /// The program, as a path or as a name on `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Changes to the environment.
    pub env: Environment,
    /// The working directory; that of the host if there is none.
    pub cwd: Option<PathBuf>,
}

impl CommandLine {
    /// A program without arguments, in the environment and directory of the host.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Environment::default(),
            cwd: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same for the standard library.
    #[must_use]
    pub fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if self.env.clear {
            command.env_clear();
        }
        for name in &self.env.remove {
            command.env_remove(name);
        }
        command.envs(&self.env.set);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }
}

/// Shows flags without their values, and variables without theirs.
impl fmt::Debug for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<_> = self.args.iter().map(|arg| without_value(arg)).collect();
        f.debug_struct("CommandLine")
            .field("program", &self.program)
            .field("args", &args)
            .field("env", &self.env)
            .field("cwd", &self.cwd)
            .finish()
    }
}

fn without_value(arg: &OsStr) -> Cow<'_, str> {
    let arg = arg.to_string_lossy();
    match arg.split_once('=') {
        Some((flag, _)) if flag.starts_with("--") => format!("{flag}=…").into(),
        _ => arg,
    }
}
