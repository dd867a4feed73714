use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::Options;
use super::redacted::Redacted;
use crate::launch::CommandLine;
use crate::process::StderrCallback;

/// A callback that changes the command line before the CLI is started.
pub(crate) type CommandWrapper = Arc<dyn Fn(CommandLine) -> CommandLine + Send + Sync>;

#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessOptions {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) cli_path: Option<PathBuf>,
    pub(crate) runtime: Option<Runtime>,
    pub(crate) extra_args: Vec<(String, Option<Redacted<OsString>>)>,
    pub(crate) client_app: Option<String>,
    pub(crate) user: Option<OsUser>,
    /// Why the user of [`Options::os_user_named`] is not known.
    pub(crate) user_problem: Option<String>,
    pub(crate) stderr: Option<Redacted<StderrCallback>>,
    pub(crate) debug: bool,
    pub(crate) debug_file: Option<PathBuf>,
    pub(crate) wrapper: Option<Redacted<CommandWrapper>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

/// Options for the process of the CLI.
impl Options {
    /// Sets the working directory of the CLI.
    ///
    /// Default: the working directory of the host.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().cwd("/srv/work"));
    /// assert_eq!(cli.cwd(), Some(Path::new("/srv/work")));
    /// ```
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.process.cwd = Some(directory.into());
        self
    }

    /// Sets the path of the CLI.
    ///
    /// Connecting fails with `CliNotFound` if there is no executable at this path; no other place is
    /// searched. Default: the first `claude` in `PATH`, else in the usual installation directories. The command `inhouse replay`
    /// [takes precedence](crate::launch#replays).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let plan = Plan::for_transport(&Options::new().cli_path("/opt/claude"))?;
    /// assert_eq!(plan.launch.command.program, "/opt/claude");
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn cli_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.cli_path = Some(path.into());
        self
    }

    /// Runs the CLI with this JavaScript runtime, such as `node` or `bun`.
    ///
    /// Only for a CLI that is a script. Default: `node` for a file with the extension of a script
    /// (`cli.js`), else none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let options = Options::new().cli_path("cli.js").runtime("bun", ["--smol"]);
    /// let plan = Plan::for_transport(&options)?;
    /// assert_eq!(plan.launch.command.program, "bun");
    /// assert_eq!(plan.launch.command.args[..2], ["--smol", "cli.js"]);
    /// # Ok::<(), inhouse::Error>(())
    /// ```
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

    /// Adds a flag of the CLI that has no option, by its name without dashes.
    ///
    /// The value is passed as it is, and is visible to every user of the machine.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().extra_arg("bare", None::<&str>);
    /// let cli = launch(options.extra_arg("autocompact", Some("200k")));
    /// assert!(cli.has_arg("--bare"));
    /// assert!(cli.has_arg("--autocompact=200k"));
    /// ```
    pub fn extra_arg(
        mut self,
        flag: impl Into<String>,
        value: Option<impl Into<OsString>>,
    ) -> Self {
        let value = value.map(|value| Redacted(value.into()));
        self.process.extra_args.push((flag.into(), value));
        self
    }

    /// Sets a label of your application for the `User-Agent` header of the CLI.
    ///
    /// Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().client_app("my-app/1.0"));
    /// assert_eq!(cli.env("CLAUDE_AGENT_SDK_CLIENT_APP"), Some("my-app/1.0"));
    /// ```
    pub fn client_app(mut self, label: impl Into<String>) -> Self {
        self.process.client_app = Some(label.into());
        self
    }

    /// Runs the CLI as another user of the operating system.
    ///
    /// Unix only, and only if the host has the privilege to change its user. Default: the user of the
    /// host.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// # if cfg!(unix) {
    /// let plan = Plan::for_transport(&Options::new().os_user(1000, 1001))?;
    /// assert_eq!(plan.launch.user.map(|user| (user.uid, user.gid)), Some((1000, 1001)));
    /// # }
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn os_user(mut self, uid: u32, gid: u32) -> Self {
        self.process.user = Some(OsUser { uid, gid });
        self.process.user_problem = None;
        self
    }

    /// Runs the CLI as another user of the operating system, by name, with the primary group of that user.
    ///
    /// The user is looked up now, in the sources that the system is configured for. Connecting fails
    /// with a `Config` error if there is no such user. Otherwise like [`os_user`](Self::os_user).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// # if cfg!(unix) {
    /// let plan = Plan::for_transport(&Options::new().os_user_named("root"))?;
    /// assert_eq!(plan.launch.user.map(|user| user.uid), Some(0));
    ///
    /// let error = Plan::for_transport(&Options::new().os_user_named("nosuchuser")).unwrap_err();
    /// assert!(error.to_string().contains("no user `nosuchuser`"));
    /// # }
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn os_user_named(mut self, name: &str) -> Self {
        (self.process.user, self.process.user_problem) = match OsUser::named(name) {
            Ok(user) => (Some(user), None),
            Err(problem) => (None, Some(problem)),
        };
        self
    }

    /// Sets a callback for each line that the CLI writes to stderr, without the line ending.
    ///
    /// The callback runs on the task that reads stderr, so it must not block. The last lines are
    /// kept for error texts in any case. Default: none.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let (sender, lines) = mpsc::channel();
    /// let options = Options::new().stderr(move |line| sender.send(line.to_owned()).unwrap());
    ///
    /// // A transport passes on what the CLI writes.
    /// Plan::for_transport(&options)?.launch.report_stderr("warning: no such beta");
    /// assert_eq!(lines.recv().unwrap(), "warning: no such beta");
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.process.stderr = Some(Redacted(Arc::new(sink)));
        self
    }

    /// Makes the CLI write a debug log to its default location.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// assert!(launch(Options::new().debug()).has_arg("--debug"));
    /// ```
    pub fn debug(mut self) -> Self {
        self.process.debug = true;
        self
    }

    /// Makes the CLI write a debug log to this file.
    ///
    /// Takes precedence over [`debug`](Self::debug). Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().debug_file("/tmp/claude.log"));
    /// assert!(cli.has_arg("--debug-file=/tmp/claude.log"));
    /// ```
    pub fn debug_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.debug_file = Some(path.into());
        self
    }

    /// Sets a callback that changes the command line before the CLI is started, for instance to run
    /// it in a container or over ssh.
    ///
    /// The CLI is then not searched for on this machine: its program is [`cli_path`](Self::cli_path),
    /// or `claude`. The callback must carry over everything that it keeps, including the changes to
    /// the environment. Default: none.
    ///
    /// Settings and MCP servers that are too long for an argument or contain a secret are in
    /// temporary files of this machine, which the CLI must be able to read (see
    /// [`launch`](crate::launch)). For a CLI that cannot, name files on its side with
    /// [`Settings::file`](super::Settings::file) and [`mcp_config_file`](Self::mcp_config_file).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::CommandLine;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().env("TOKEN", "secret").wrap_command(|cli| {
    ///     let mut docker = CommandLine::new("docker").args(["exec", "-i"]);
    ///     for (name, value) in cli.env.set {
    ///         // Other users can read arguments, so only the name is an argument; docker takes the
    ///         // value from its own environment.
    ///         docker = docker.args(["-e".into(), name.clone()]);
    ///         docker.env.set.insert(name, value);
    ///     }
    ///     docker.args(["sandbox".into(), cli.program]).args(cli.args)
    /// });
    /// let docker = launch(options);
    /// assert_eq!(docker.args()[..2], ["exec", "-i"]);
    /// assert!(docker.has_arg("TOKEN"));
    /// assert_eq!(docker.env("TOKEN"), Some("secret"));
    /// ```
    pub fn wrap_command(
        mut self,
        wrap: impl Fn(CommandLine) -> CommandLine + Send + Sync + 'static,
    ) -> Self {
        self.process.wrapper = Some(Redacted(Arc::new(wrap)));
        self
    }
}

/// A user of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OsUser {
    /// The numeric user id.
    pub uid: u32,
    /// The numeric group id.
    pub gid: u32,
}

impl OsUser {
    /// Looks a user up by name.
    #[cfg(unix)]
    fn named(name: &str) -> Result<Self, String> {
        match nix::unistd::User::from_name(name) {
            Ok(Some(user)) => Ok(Self {
                uid: user.uid.as_raw(),
                gid: user.gid.as_raw(),
            }),
            Ok(None) => Err(format!(
                "`os_user_named`: the system has no user `{name}`; create it, or correct the name"
            )),
            Err(error) => Err(format!(
                "`os_user_named`: the user `{name}` cannot be looked up: {error}"
            )),
        }
    }

    #[cfg(not(unix))]
    fn named(_name: &str) -> Result<Self, String> {
        Err("`os_user_named` on a system without numeric user ids; omit it".to_owned())
    }
}
