use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use inhouse_proto::control::outgoing::Initialize;

use super::argv::Argv;
use super::files::PrivateFiles;
use super::{
    CommandLine, HostEnvironment, check, flags, handshake, locate, output, restrictions, settings,
    variables, warnings,
};
use crate::error::Result;
use crate::options::{Backlog, Options, OsUser};
use crate::process::{ShutdownTiming, StderrCallback};
use crate::warning::Warning;

/// What starts a session, decided from [`Options`] and from nothing else.
///
/// A [`Transport`](crate::transport::Transport) gets it to open a connection with. Keep it while
/// the CLI runs: long and secret values may be in temporary files that it owns.
#[non_exhaustive]
pub struct Launch {
    /// The program, its arguments, its environment and its working directory.
    pub command: CommandLine,
    /// The user to run it as.
    pub user: Option<OsUser>,
    /// The first request of the conversation.
    pub initialize: Initialize,
    /// Whether the session must end unless the answer to `initialize` says that the managed
    /// settings were applied.
    pub requires_managed_settings: bool,
    /// Whether the session must end unless the answer to `initialize` says that a hook which fails
    /// can hold its event up.
    pub requires_blocking_hooks: bool,
    /// Whether no prompt may be sent before the CLI has confirmed `initialize`: with hooks, with
    /// handlers for what the CLI asks, and with any other option that restricts the session.
    pub confirm_before_prompt: bool,
    /// Whether prompts are to be taken as they are.
    pub verbatim_prompts: bool,
    /// The longest line to accept.
    pub max_line_bytes: usize,
    /// How much to keep of what is not read.
    pub backlog: Backlog,
    /// How long the CLI may take to accept the session.
    pub connect_timeout: Duration,
    /// How long a control request may take.
    pub control_timeout: Duration,
    /// How long to wait for background work after the last turn; `None` is without limit.
    pub background_ceiling: Option<Duration>,
    /// How patiently to end the CLI.
    pub shutdown: ShutdownTiming,
    /// What is probably not meant.
    pub warnings: Vec<Warning>,
    pub(crate) stderr: Option<StderrCallback>,
    // Held, not read: the files go when the launch does.
    _files: PrivateFiles,
}

impl Launch {
    /// Finds the CLI and plans how to start it in the environment of this process.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for options that cannot be meant,
    /// [`CliNotFound`](crate::error::ErrorKind::CliNotFound) when there is no CLI.
    pub fn new(options: &Options) -> Result<Self> {
        // First, so that a mistake in the options is not hidden by a missing CLI.
        check::options(options)?;
        let host = HostEnvironment::current();
        let program = program(options, &host)?;
        Self::plan(options, program, &host)
    }

    /// Plans for a CLI that a transport of the user reaches, which need not be on this machine.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for options that cannot be meant.
    pub fn elsewhere(options: &Options) -> Result<Self> {
        let program = options.process.cli_path.as_deref();
        let program = program.map_or("claude".as_ref(), Path::as_os_str);
        Self::plan(options, program, &HostEnvironment::current())
    }

    /// Plans how to start the CLI `program` on a host with this environment.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for options that cannot be meant; the text
    /// lists all of them.
    pub fn plan(
        options: &Options,
        program: impl Into<OsString>,
        host: &HostEnvironment,
    ) -> Result<Self> {
        check::options(options)?;
        let mut files = PrivateFiles::new(options.process.user);
        let mut initialize = handshake::initialize(options);
        let mut argv = Argv::new();
        flags::push(options, &mut argv);
        output::place(options, &mut argv, &mut initialize);
        settings::place(options, &mut argv, &mut files)?;
        let requires_managed_settings =
            settings::place_managed(options, &mut argv, &mut initialize);
        settings::place_mcp(options, &mut argv, &mut files)?;
        check::extra_flags(options, &argv)?;
        flags::push_extra(options, &mut argv);

        let mut command = command(options, program.into(), argv.into_args());
        command.env = variables::environment(options, host);
        check::command(&command)?;
        if let Some(wrap) = &options.process.wrapper {
            command = (wrap.0)(command);
        }
        Ok(Self {
            command,
            user: options.process.user,
            initialize,
            requires_managed_settings,
            requires_blocking_hooks: options.hooks.require_on_failure(),
            confirm_before_prompt: restrictions::are_set(options),
            verbatim_prompts: options.prompt.verbatim,
            max_line_bytes: options.stream.max_line_bytes,
            backlog: options.stream.backlog,
            connect_timeout: options.timing.connect_timeout,
            control_timeout: options.timing.control_timeout,
            background_ceiling: variables::background_ceiling(options, host),
            shutdown: options.timing.shutdown,
            warnings: warnings::of(options),
            stderr: options.process.stderr.as_ref().map(|sink| sink.0.clone()),
            _files: files,
        })
    }

    /// The command for the standard library, with the user to run it as.
    #[must_use]
    pub fn to_command(&self) -> Command {
        #[cfg_attr(
            not(unix),
            expect(unused_mut, reason = "only Unix has users by number")
        )]
        let mut command = self.command.to_command();
        #[cfg(unix)]
        if let Some(user) = self.user {
            use std::os::unix::process::CommandExt as _;
            command.uid(user.uid).gid(user.gid);
        }
        command
    }
}

/// The CLI on this machine, or its name elsewhere when a wrapper takes it there.
fn program(options: &Options, host: &HostEnvironment) -> Result<OsString> {
    let explicit = options.process.cli_path.as_deref();
    if options.process.wrapper.is_some() {
        return Ok(explicit.map_or("claude".into(), |path| path.as_os_str().to_owned()));
    }
    // Where to look is the host's affair, also for a CLI that inherits nothing.
    let variable = |name: &str| {
        let wanted = options.environment.set.get(OsStr::new(name));
        wanted
            .map(|value| value.0.as_os_str())
            .or_else(|| host.get(name))
    };
    let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    let found = locate::locate(explicit, variable("PATH"), home.map(Path::new))?;
    Ok(found.into_os_string())
}

/// The program with its arguments, run by a JavaScript runtime where it is a script.
fn command(options: &Options, cli: OsString, args: Vec<OsString>) -> CommandLine {
    let command = match &options.process.runtime {
        Some(runtime) => CommandLine::new(&runtime.program)
            .args(runtime.args.iter().cloned())
            .args([cli]),
        None if locate::is_script(Path::new(&cli)) => CommandLine::new("node").args([cli]),
        None => CommandLine::new(cli),
    };
    let mut command = command.args(args);
    command.cwd.clone_from(&options.process.cwd);
    command
}

/// Shows how the CLI is started, and nothing of what it is told.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("command", &self.command)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
