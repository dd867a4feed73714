use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use inhouse_proto::control::outgoing::Initialize;
use inhouse_proto::redact::Secrets;
use serde_json::Value;

use super::args::Args;
use super::private_files::PrivateFiles;
use super::problems::Problems;
use super::stream::MAX_LINE_BYTES;
use super::timeouts::DEFAULT_TIMEOUT;
use super::{
    CommandLine, HostEnvironment, agents, environment, hooks, limits, mcp, model, output,
    permissions, plugins, process, prompt, record, requests, session, settings, store, stream,
    timeouts, tools,
};
use crate::error::Result;
use crate::options::{Backlog, Options, OsUser};
use crate::process::{ShutdownTiming, StderrCallback};
use crate::warning::Warning;

/// How to start the CLI: everything that a [`Transport`](crate::transport::Transport) needs.
///
/// Owns the temporary files that contain long and secret values; they are removed on drop. The
/// session keeps it until the CLI has exited.
#[non_exhaustive]
pub struct Launch {
    /// The program, its arguments, its environment and its working directory.
    pub command: CommandLine,
    /// The user to run the CLI as; `None` is the user of the host.
    pub user: Option<OsUser>,
    pub(crate) stderr: Option<StderrCallback>,
    /// Values that are redacted in a recording, for a transport that replays one.
    secrets: Vec<String>,
    _files: PrivateFiles,
}

impl Launch {
    /// Returns the secrets of the session; known values only with a transport of the caller.
    #[doc(hidden)]
    #[must_use]
    pub fn secrets(&self, named: &[String]) -> Secrets {
        Secrets::new(self.secrets.iter().chain(named).cloned())
    }

    /// Returns the command as a [`Command`], with the user to run it as.
    #[must_use]
    pub fn to_command(&self) -> Command {
        #[cfg_attr(
            not(unix),
            expect(unused_mut, reason = "only Unix has numeric user ids")
        )]
        let mut command = self.command.to_command();
        #[cfg(unix)]
        if let Some(user) = self.user {
            use std::os::unix::process::CommandExt as _;
            command.uid(user.uid).gid(user.gid);
        }
        command
    }

    /// Calls the callback of [`Options::stderr`] with a line that the CLI wrote to stderr.
    ///
    /// Does nothing if there is no callback.
    pub fn report_stderr(&self, line: &str) {
        if let Some(callback) = &self.stderr {
            callback(line);
        }
    }
}

/// Shows the command without the values of flags and variables.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("command", &self.command)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// The result of translating [`Options`]: how to start the CLI, the `initialize` request, and the
/// values that the session itself uses.
///
/// ```
/// use inhouse::Options;
/// use inhouse::launch::{HostEnvironment, Plan};
///
/// let options = Options::new().max_turns(3).title("Sums");
/// let plan = Plan::new(&options, "claude", &HostEnvironment::default())?;
/// assert!(plan.launch.command.args.contains(&"--max-turns=3".into()));
/// assert_eq!(plan.initialize.title.as_deref(), Some("Sums"));
/// # Ok::<(), inhouse::Error>(())
/// ```
#[non_exhaustive]
pub struct Plan {
    /// How to start the CLI.
    pub launch: Launch,
    /// The first request of the session, without the in-process MCP servers.
    pub initialize: Initialize,
    /// Whether connecting fails unless the CLI confirms the managed settings.
    pub requires_managed_settings: bool,
    /// Whether connecting fails unless the CLI supports hooks that block their event on failure.
    pub requires_blocking_hooks: bool,
    /// Whether no prompt is sent before the CLI has answered `initialize`: with hooks, with handlers
    /// for requests of the CLI, and with every option that restricts the session.
    pub confirm_before_prompt: bool,
    /// Whether prompts reach the model unchanged.
    pub verbatim_prompts: bool,
    /// The maximum length of a line of the CLI.
    pub max_line_bytes: usize,
    /// The limit on unread messages.
    pub backlog: Backlog,
    /// How long the CLI may take to start and to answer `initialize`.
    pub connect_timeout: Duration,
    /// How long a control request may take.
    pub control_timeout: Duration,
    /// How long to wait for background tasks after the last turn; `None` is no limit.
    pub background_ceiling: Option<Duration>,
    /// How long each step of a shutdown may take.
    pub shutdown: ShutdownTiming,
    /// Likely mistakes in the options.
    pub warnings: Vec<Warning>,
    /// Values that a recording of the session must not contain.
    pub(crate) secrets: Vec<String>,
    /// Whether `inhouse replay` plays the CLI.
    pub(crate) is_replay: bool,
}

/// The variable with which `inhouse replay` names the program that plays the CLI.
const REPLAY_CLI: &str = "INHOUSE_REPLAY_CLI";

/// The variable with the values to redact in a replay, as a JSON array: from `inhouse replay` to the program those that the user
/// names, from the program to the process that plays the CLI those of the session as well.
const REPLAY_REDACT: &str = "INHOUSE_REPLAY_REDACT";

impl Plan {
    /// Plans how to start the CLI `program` on a host with this environment.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for invalid options; the text lists all problems.
    pub fn new(
        options: &Options,
        program: impl Into<OsString>,
        host: &HostEnvironment,
    ) -> Result<Self> {
        validate(options)?;
        Self::build(options, program.into(), host)
    }

    /// Finds the CLI, and plans how to start it in the environment of this process.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for invalid options,
    /// [`CliNotFound`](crate::error::ErrorKind::CliNotFound) if there is no CLI.
    pub fn locate(options: &Options) -> Result<Self> {
        Self::locate_in(options, &HostEnvironment::current())
    }

    fn locate_in(options: &Options, host: &HostEnvironment) -> Result<Self> {
        // Before the search, so that a missing CLI does not hide a mistake in the options.
        validate(options)?;
        let Some(replay) = host.get(REPLAY_CLI) else {
            let program = process::locate_program(options, host)?;
            return Self::build(options, program, host);
        };
        let mut options = options.clone();
        process::use_only(&mut options, replay);
        let program = process::locate_program(&options, host)?;
        let mut plan = Self::build(&options, program, host)?;
        // A variable and not a file, which would stay on disk if this process were killed.
        let redact = Value::from(replay_secrets(&options, host)).to_string();
        let set = &mut plan.launch.command.env.set;
        set.insert(REPLAY_REDACT.into(), redact.into());
        plan.is_replay = true;
        Ok(plan)
    }

    /// Plans for a custom transport, whose CLI need not be on this machine.
    ///
    /// The program is [`Options::cli_path`], or `claude`.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::error::ErrorKind::Config) for invalid options; the text lists all problems.
    pub fn for_transport(options: &Options) -> Result<Self> {
        let program = options.process.cli_path.as_deref();
        let program = program.map_or("claude".as_ref(), Path::as_os_str);
        let host = HostEnvironment::current();
        let mut plan = Self::new(options, program, &host)?;
        plan.launch.secrets = record::known_secrets(options, &host);
        Ok(plan)
    }

    fn build(options: &Options, program: OsString, host: &HostEnvironment) -> Result<Self> {
        let mut builder = Builder::new(options);
        model::apply(options, &mut builder);
        limits::apply(options, &mut builder);
        tools::apply(options, &mut builder);
        permissions::apply(options, &mut builder);
        plugins::apply(options, &mut builder);
        session::apply(options, &mut builder);
        store::apply(options, &mut builder);
        hooks::apply(options, &mut builder);
        stream::apply(options, &mut builder);
        prompt::apply(options, &mut builder);
        agents::apply(options, &mut builder);
        requests::apply(options, &mut builder);
        timeouts::apply(options, &mut builder);
        process::apply(options, &mut builder);
        output::apply(options, &mut builder);
        settings::apply(options, &mut builder)?;
        mcp::apply(options, &mut builder)?;
        // Last, since the CLI uses the last of two flags.
        process::apply_extra_args(options, &mut builder)?;

        let env = environment::changes(options, host, builder.env);
        let command = process::command(options, program, builder.args.into_vec(), env)?;
        let stderr = options.process.stderr.as_ref();
        let stream = &options.stream;
        let (connect, control) = (options.timeouts.connect, options.timeouts.control);
        Ok(Self {
            launch: Launch {
                command,
                user: options.process.user,
                stderr: stderr.map(|callback| callback.0.clone()),
                secrets: Vec::new(),
                _files: builder.files,
            },
            initialize: builder.initialize,
            requires_managed_settings: builder.requires_managed_settings,
            requires_blocking_hooks: options.hooks.require_on_failure(),
            confirm_before_prompt: builder.confirm_before_prompt,
            verbatim_prompts: options.prompt.verbatim,
            max_line_bytes: stream.max_line_bytes.unwrap_or(MAX_LINE_BYTES),
            backlog: stream.backlog,
            connect_timeout: connect.unwrap_or(DEFAULT_TIMEOUT),
            control_timeout: control.unwrap_or(DEFAULT_TIMEOUT),
            background_ceiling: timeouts::background_ceiling(options, host),
            shutdown: options.timeouts.shutdown,
            warnings: permissions::warnings(options),
            secrets: record::recorded_secrets(options, host),
            is_replay: false,
        })
    }
}

/// Shows how the CLI is started, and not `initialize`, which contains prompts.
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("launch", &self.launch)
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

/// Returns the values to redact in a replay: the known secrets of the session, recorded or not, and those that `inhouse replay` was given.
fn replay_secrets(options: &Options, host: &HostEnvironment) -> Vec<String> {
    let mut values = record::known_secrets(options, host);
    let named = host.get(REPLAY_REDACT).and_then(OsStr::to_str);
    let named = named.and_then(|named| serde_json::from_str::<Vec<String>>(named).ok());
    values.extend(named.unwrap_or_default());
    values
}

/// Validates options before anything is started, and reports all problems at once.
fn validate(options: &Options) -> Result<()> {
    let mut problems = Problems::default();
    model::validate(options, &mut problems);
    limits::validate(options, &mut problems);
    output::validate(options, &mut problems);
    prompt::validate(options, &mut problems);
    agents::validate(options, &mut problems);
    tools::validate(options, &mut problems);
    permissions::validate(options, &mut problems);
    mcp::validate(options, &mut problems);
    plugins::validate(options, &mut problems);
    hooks::validate(options, &mut problems);
    session::validate(options, &mut problems);
    store::validate(options, &mut problems);
    settings::validate(options, &mut problems);
    stream::validate(options, &mut problems);
    environment::validate(options, &mut problems);
    process::validate(options, &mut problems);
    record::validate(options, &mut problems);
    problems.into_result()
}

/// The parts of a plan that the `apply` functions of the modules fill in.
pub(super) struct Builder {
    pub(super) args: Args,
    /// Environment variables that inhouse sets.
    pub(super) env: BTreeMap<OsString, OsString>,
    pub(super) initialize: Initialize,
    pub(super) files: PrivateFiles,
    pub(super) requires_managed_settings: bool,
    confirm_before_prompt: bool,
}

impl Builder {
    fn new(options: &Options) -> Self {
        Self {
            args: Args::new(),
            env: BTreeMap::new(),
            initialize: Initialize::new(),
            files: PrivateFiles::new(options.process.user),
            requires_managed_settings: false,
            confirm_before_prompt: false,
        }
    }

    pub(super) fn set_env(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.env.insert(name.into(), value.as_ref().to_owned());
    }

    /// Holds back the first prompt until the CLI has answered `initialize`, if an option `restricts`
    /// the session or has the CLI send requests to the host.
    pub(super) fn confirm_before_prompt_if(&mut self, restricts: bool) {
        self.confirm_before_prompt |= restricts;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn replay_replaces_every_way_to_start_the_cli() {
        let options = Options::new()
            .cli_path("/nowhere/cli.js")
            .runtime("bun", ["--smol"])
            .wrap_command(|_| CommandLine::new("docker"))
            .os_user(1, 1);
        let host = HostEnvironment::from_iter([(REPLAY_CLI, "/bin/sh")]);
        let plan = Plan::locate_in(&options, &host).unwrap();
        assert_eq!(plan.launch.command.program, "/bin/sh");
        assert!(plan.launch.user.is_none() && plan.is_replay);
        let first = plan.launch.command.args[0].to_string_lossy();
        assert!(first.starts_with("--"), "{first}");
        let live = Plan::locate_in(&options, &HostEnvironment::default()).unwrap();
        assert_eq!(live.launch.command.program, "docker");
        assert!(!live.is_replay);
    }

    #[test]
    fn replay_gets_the_secrets_of_the_session() {
        let record = Record::writer(std::io::sink()).redact("Ada Lovelace");
        let options = Options::new()
            .clean_env()
            .env("ANYTHING", "User-Value-1")
            .record(record);
        let host = HostEnvironment::from_iter([
            (REPLAY_CLI, "/bin/sh"),
            (REPLAY_REDACT, r#"["Charles Babbage"]"#),
            ("GITHUB_TOKEN", "inherited-token"),
        ]);
        let plan = Plan::locate_in(&options, &host).unwrap();
        let redact = plan.launch.command.env.set[OsStr::new(REPLAY_REDACT)].to_str();
        let mut redact: Vec<String> = serde_json::from_str(redact.unwrap()).unwrap();
        redact.sort();
        let expected = [
            "Ada Lovelace",
            "Charles Babbage",
            "User-Value-1",
            "inherited-token",
        ];
        assert_eq!(redact, expected);
        let live = Plan::locate_in(&options.cli_path("/bin/sh"), &HostEnvironment::default());
        let live = live.unwrap().launch.command.env.set;
        assert!(!live.contains_key(OsStr::new(REPLAY_REDACT)));
    }
}
