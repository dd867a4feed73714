use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::Options;
use super::hidden::Hidden;
use crate::launch::CommandLine;
use crate::process::StderrCallback;

/// Changes the command line just before it is used.
pub(crate) type CommandWrapper = Arc<dyn Fn(CommandLine) -> CommandLine + Send + Sync>;

#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessOptions {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) cli_path: Option<PathBuf>,
    pub(crate) runtime: Option<Runtime>,
    pub(crate) extra_args: Vec<(String, Option<Hidden<OsString>>)>,
    pub(crate) client_app: Option<String>,
    pub(crate) user: Option<OsUser>,
    pub(crate) stderr: Option<Hidden<StderrCallback>>,
    pub(crate) debug: bool,
    pub(crate) debug_file: Option<PathBuf>,
    pub(crate) wrapper: Option<Hidden<CommandWrapper>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

/// The process of the CLI.
impl Options {
    /// The working directory; the host's own unless set.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.process.cwd = Some(directory.into());
        self
    }

    /// The CLI to run; unset, it is looked for on `PATH` and in the usual places.
    #[must_use]
    pub fn cli_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.cli_path = Some(path.into());
        self
    }

    /// Runs the CLI as a script of this JavaScript runtime, such as `node` or `bun`.
    ///
    /// Only for a CLI that is a script. One whose name says so (`cli.js`) runs with `node` by
    /// itself.
    #[must_use]
    pub fn runtime<S: Into<OsString>>(
        mut self,
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = S>,
    ) -> Self {
        self.process.runtime = Some(Runtime {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
        });
        self
    }

    /// A flag for which there is no option, named without its dashes.
    ///
    /// ```
    /// use inhouse::Options;
    ///
    /// let options = Options::new()
    ///     .extra_arg("bare", None::<&str>)
    ///     .extra_arg("autocompact", Some("200k"));
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn extra_arg(
        mut self,
        flag: impl Into<String>,
        value: Option<impl Into<OsString>>,
    ) -> Self {
        let value = value.map(|value| Hidden(value.into()));
        self.process.extra_args.push((flag.into(), value));
        self
    }

    /// A label of your application for the `User-Agent` of the CLI's requests.
    #[must_use]
    pub fn client_app(mut self, label: impl Into<String>) -> Self {
        self.process.client_app = Some(label.into());
        self
    }

    /// Runs the CLI as another user of the operating system, by numeric ids.
    ///
    /// Unix only, and only for a host with the right to do so.
    #[must_use]
    pub fn os_user(mut self, uid: u32, gid: u32) -> Self {
        self.process.user = Some(OsUser { uid, gid });
        self
    }

    /// Takes every line that the CLI writes to stderr, without its line end.
    ///
    /// Called from the task that reads stderr: do not block in it. Whether it is set or not, the
    /// last lines are kept for error texts.
    #[must_use]
    pub fn stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.process.stderr = Some(Hidden(Arc::new(sink)));
        self
    }

    /// Makes the CLI write a debug log to its usual place.
    #[must_use]
    pub fn debug(mut self) -> Self {
        self.process.debug = true;
        self
    }

    /// Makes the CLI write a debug log to this file.
    #[must_use]
    pub fn debug_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.debug_file = Some(path.into());
        self
    }

    /// Changes the command line just before it is used: to run the CLI in a container or over ssh.
    ///
    /// The CLI is then not looked for on this machine; its program is [`cli_path`](Self::cli_path),
    /// or `claude`. The wrapper carries over what it wants to keep, the changes to the environment
    /// among it.
    ///
    /// Settings and MCP servers that are too long for an argument or hold a secret are in temporary
    /// files of this machine, which the CLI must be able to read (see [`launch`](crate::launch)). For
    /// a CLI that cannot, name files on its side with [`Settings::file`](super::Settings::file) and
    /// [`mcp_config_file`](Self::mcp_config_file).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::CommandLine;
    ///
    /// let options = Options::new().wrap_command(|cli| {
    ///     let mut docker = CommandLine::new("docker").args(["exec", "-i"]);
    ///     for (name, value) in cli.env.set {
    ///         // Only the name is an argument, which others can read; docker takes the value from
    ///         // its own environment.
    ///         docker = docker.args(["-e".into(), name.clone()]);
    ///         docker.env.set.insert(name, value);
    ///     }
    ///     docker.args(["sandbox".into(), cli.program]).args(cli.args)
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn wrap_command(
        mut self,
        wrap: impl Fn(CommandLine) -> CommandLine + Send + Sync + 'static,
    ) -> Self {
        self.process.wrapper = Some(Hidden(Arc::new(wrap)));
        self
    }
}

/// A user of the operating system, by numeric ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OsUser {
    /// The user id.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
}
