use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use super::Environment;

/// A program to start, with its arguments, environment and working directory.
///
/// ```
/// use inhouse::launch::CommandLine;
///
/// let ssh = CommandLine::new("ssh").args(["host", "claude"]);
/// assert_eq!(ssh.to_command().get_program(), "ssh");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use = "a command line does nothing until a transport starts it"]
#[non_exhaustive]
pub struct CommandLine {
    /// The program, as a path or as a name in `PATH`.
    pub program: OsString,
    /// The arguments, without the program.
    pub args: Vec<OsString>,
    /// Changes to the inherited environment.
    pub env: Environment,
    /// The working directory; `None` is the directory of the host.
    pub cwd: Option<PathBuf>,
}

impl CommandLine {
    /// Creates a command line without arguments, in the environment and directory of the host.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Environment::default(),
            cwd: None,
        }
    }

    /// Adds arguments after the existing ones.
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Returns the command line as a [`Command`] of the standard library.
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

/// Shows flags and variables without their values.
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
