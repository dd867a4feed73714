use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::plan::Builder;
use super::problems::Problems;
use super::{CommandLine, Environment, HostEnvironment, locate};
use crate::error::Result;
use crate::options::Options;

/// The maximum length of one argument or variable on Linux, with its NUL.
const MAX_ARGUMENT: usize = 128 * 1024;

/// Flags that the protocol depends on.
const PROTOCOL_FLAGS: [&str; 4] = ["input-format", "output-format", "print", "verbose"];

/// Flags that the CLI accepts more than once.
const REPEATABLE_FLAGS: [&str; 9] = [
    "add-dir",
    "allowedTools",
    "betas",
    "debug",
    "disallowedTools",
    "mcp-config",
    "plugin-dir",
    "plugin-dir-no-mcp",
    "tools",
];

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let process = &options.process;
    problems.reject_empty_each("cwd", &process.cwd);
    problems.reject_empty_each("cli_path", &process.cli_path);
    problems.reject_empty_each("debug_file", &process.debug_file);
    let runtime = process.runtime.as_ref().map(|runtime| &runtime.program);
    problems.reject_empty_each("runtime", runtime);
    problems.reject_empty_each("client_app", &process.client_app);
    if let Some(problem) = &process.user_problem {
        problems.add(problem);
    }
    problems.add_if(
        cfg!(not(unix)) && process.user.is_some(),
        "`os_user` on a system without numeric user ids; omit it",
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let process = &options.process;
    match &process.debug_file {
        Some(path) => builder.args.value("debug-file", path),
        None => builder.args.switch_if(process.debug, "debug"),
    }
    if let Some(label) = &process.client_app {
        builder.set_env("CLAUDE_AGENT_SDK_CLIENT_APP", label);
    }
}

/// Adds the flags that have no option.
///
/// # Errors
///
/// `Config` for an invalid name, for a flag of the protocol, and for a flag that an option sets.
pub(super) fn apply_extra_args(options: &Options, builder: &mut Builder) -> Result<()> {
    let mut problems = Problems::default();
    for (name, _) in &options.process.extra_args {
        let is_flag_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_flag_name {
            problems.add(format!(
                "the extra argument {name:?} is not the name of a flag; write it without leading \
                 dashes, and pass its value separately"
            ));
        } else if PROTOCOL_FLAGS.contains(&name.as_str()) {
            problems.add(format!(
                "the extra argument `{name}` would change the protocol between CLI and host; omit it"
            ));
        } else if builder.args.has(name) && !REPEATABLE_FLAGS.contains(&name.as_str()) {
            problems.add(format!(
                "the extra argument `{name}` is also set by an option; omit one of the two"
            ));
        }
    }
    problems.into_result()?;
    for (name, value) in &options.process.extra_args {
        match value {
            Some(value) => builder.args.value(name, &value.0),
            None => builder.args.switch(name),
        }
    }
    Ok(())
}

/// Makes this program the CLI, started as this user and by nothing else.
pub(super) fn use_only(options: &mut Options, cli: &OsStr) {
    let process = &mut options.process;
    process.cli_path = Some(cli.into());
    process.runtime = None;
    process.wrapper = None;
    process.user = None;
}

/// Returns the path of the CLI on this machine, or its name if a wrapper runs it elsewhere.
pub(super) fn locate_program(options: &Options, host: &HostEnvironment) -> Result<OsString> {
    let explicit = options.process.cli_path.as_deref();
    if options.process.wrapper.is_some() {
        return Ok(explicit.map_or("claude".into(), |path| path.as_os_str().to_owned()));
    }
    // Not `child_variable`: the host's `PATH` is searched also if the CLI does not inherit it.
    let variable = |name: &str| match options.environment.set.get(OsStr::new(name)) {
        Some(value) => Some(value.0.as_os_str()),
        None => host.get(name),
    };
    let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    let found = locate::locate(explicit, variable("PATH"), home.map(Path::new))?;
    Ok(found.into_os_string())
}

/// Returns the command line of the CLI, run by a JavaScript runtime if it is a script, and changed
/// by the wrapper if there is one.
///
/// # Errors
///
/// `Config` if the operating system could not start the command.
pub(super) fn command(
    options: &Options,
    cli: OsString,
    args: Vec<OsString>,
    env: Environment,
) -> Result<CommandLine> {
    let process = &options.process;
    let command = match &process.runtime {
        Some(runtime) => CommandLine::new(&runtime.program)
            .args(runtime.args.iter().cloned())
            .args([cli]),
        None if locate::is_script(Path::new(&cli)) => CommandLine::new("node").args([cli]),
        None => CommandLine::new(cli),
    };
    let mut command = command.args(args);
    command.env = env;
    command.cwd.clone_from(&process.cwd);
    validate_command(&command)?;
    Ok(match &process.wrapper {
        Some(wrap) => (wrap.0)(command),
        None => command,
    })
}

fn validate_command(command: &CommandLine) -> Result<()> {
    let mut problems = Problems::default();
    for argument in &command.args {
        let flag = argument.to_string_lossy();
        let flag = flag.split('=').next().unwrap_or_default();
        validate_argument(flag, argument, &mut problems);
    }
    for (name, value) in &command.env.set {
        let shown = format!("the variable {}", name.to_string_lossy());
        validate_argument(&shown, value, &mut problems);
    }
    validate_argument("the program", &command.program, &mut problems);
    if let Some(cwd) = &command.cwd {
        validate_argument("the working directory", cwd.as_os_str(), &mut problems);
    }
    problems.into_result()
}

fn validate_argument(name: &str, value: &OsStr, problems: &mut Problems) {
    let bytes = value.as_encoded_bytes();
    problems.add_if(
        bytes.contains(&0),
        format!("{name} contains a NUL; remove it"),
    );
    problems.add_if(
        bytes.len() >= MAX_ARGUMENT,
        format!(
            "{name} is too long to be passed to a process ({} bytes); shorten it",
            bytes.len()
        ),
    );
}
