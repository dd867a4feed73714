use std::ffi::OsStr;

use super::Problems;
use crate::error::Result;
use crate::launch::CommandLine;
use crate::launch::argv::Argv;
use crate::options::Options;

/// What Linux allows for one argument or one variable, with the NUL behind it.
const MAX_ARGUMENT: usize = 128 * 1024;

/// Flags without which there is no protocol.
const PROTOCOL: [&str; 4] = ["input-format", "output-format", "print", "verbose"];

/// Flags of which the CLI takes several.
const REPEATABLE: [&str; 9] = [
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

/// Flags for which there is no option must not be such for which there is one in use.
pub(in crate::launch) fn extra_flags(options: &Options, argv: &Argv) -> Result<()> {
    let mut problems = Problems::default();
    for (flag, _) in &options.process.extra_args {
        let name = flag.as_str();
        let shaped = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !shaped {
            problems.add(format!(
                "the extra argument {name:?} is not the name of a flag; write it without dashes in \
                 front, and its value apart"
            ));
        } else if PROTOCOL.contains(&name) {
            problems.add(format!(
                "the extra argument `{name}` would change how the CLI talks to its host; leave it \
                 away"
            ));
        } else if argv.has(name) && !REPEATABLE.contains(&name) {
            problems.add(format!(
                "the extra argument `{name}` is also set by an option; leave one of the two away"
            ));
        }
    }
    problems.into_result()
}

/// What no system could start.
pub(in crate::launch) fn command(command: &CommandLine) -> Result<()> {
    let mut problems = Problems::default();
    for argument in &command.args {
        let flag = argument.to_string_lossy();
        let flag = flag.split('=').next().unwrap_or_default().to_owned();
        transportable(&flag, argument, &mut problems);
    }
    for (name, value) in &command.env.set {
        let shown = format!("the variable {}", name.to_string_lossy());
        transportable(&shown, value, &mut problems);
    }
    let places = [
        ("the program", Some(command.program.as_os_str())),
        (
            "the working directory",
            command.cwd.as_deref().map(AsRef::as_ref),
        ),
    ];
    for (shown, value) in places {
        if let Some(value) = value {
            transportable(shown, value, &mut problems);
        }
    }
    problems.into_result()
}

fn transportable(what: &str, value: &OsStr, problems: &mut Problems) {
    let bytes = value.as_encoded_bytes();
    problems.add_if(
        bytes.contains(&0),
        format!("{what} contains a NUL; remove it"),
    );
    problems.add_if(
        bytes.len() >= MAX_ARGUMENT,
        format!(
            "{what} is too long to be passed to a process ({} bytes); shorten it",
            bytes.len()
        ),
    );
}
