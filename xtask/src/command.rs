//! Running other programs, and installing the cargo subcommands that this tool needs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::pinned::cache;

/// Returns a command for the cargo that runs this tool, with the workspace root as its directory.
pub(crate) fn cargo<const N: usize>(root: &Path, arguments: [&str; N]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    // Build scripts that watch the variables of their own package would run again, because `cargo run` has set those of this tool.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Returns a command for the cargo of a toolchain that rustup has, with the workspace root as its directory.
pub(crate) fn cargo_of(root: &Path, toolchain: &str) -> Command {
    // The `CARGO` of this tool is that of one toolchain and knows no `+toolchain`.
    let mut command = Command::new("cargo");
    command.arg(format!("+{toolchain}")).current_dir(root);
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// Runs a command with the terminal's output streams, and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    let status = command.status().with_context(|| line.clone())?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}

/// Returns the standard output of a command. The error has its standard error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = line_of(command);
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| line.clone())?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{line}: {}\n{}", output.status, stderr.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the first line that a program prints for `--version`.
pub(crate) fn version_of(program: impl AsRef<Path>) -> Result<String> {
    let text = output(Command::new(program.as_ref()).arg("--version"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Builds a program from crates.io in the [cache] unless that version is there, and returns its path.
pub(crate) fn install(
    root: &Path,
    name: &str,
    version: &str,
    arguments: &[&str],
) -> Result<PathBuf> {
    let directory = cache()?.join(format!("{name}-{version}"));
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = directory.join("bin").join(file);
    if !program.exists() {
        let mut command = cargo(root, ["install", "--locked", name, "--version", version]);
        run(command.args(arguments).arg("--root").arg(&directory))?;
    }
    Ok(program)
}

/// Returns the program's file name and the arguments, for messages.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = program.file_name().into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_commands_are_errors_that_name_the_command() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(output(&mut cargo(root, ["--version"])).is_ok());
        for mut command in [
            cargo(root, ["no-such-subcommand"]),
            Command::new("no/such/program"),
        ] {
            let error = format!("{:#}", output(&mut command).unwrap_err());
            assert!(error.contains("such"), "{error}");
        }
    }
}
