//! Search for the CLI.

use std::env;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The remedy in errors about a missing CLI.
pub(crate) const INSTALL_HINT: &str = "install it with `npm install -g \
     @anthropic-ai/claude-code`, or point at it with `Options::cli_path`";

/// The file name of the CLI. On Windows only the executable: `cmd.exe` would run a `.cmd` shim and
/// parse its arguments a second time.
const CLI_NAME: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};

/// Directories below the home directory where installers put the CLI, besides `/usr/local/bin`.
const HOME_DIRECTORIES: [&str; 5] = [
    ".npm-global/bin",
    ".local/bin",
    "node_modules/.bin",
    ".yarn/bin",
    ".claude/local",
];

/// Finds the CLI: only the `explicit` path if there is one, else the first executable in the search
/// `path`, else in the usual installation directories.
///
/// `path` and `home` are those of the environment of the CLI. Relative entries of the search path are
/// ignored, because another user may control the working directory.
pub(crate) fn locate(
    explicit: Option<&Path>,
    path: Option<&OsStr>,
    home: Option<&Path>,
) -> Result<PathBuf> {
    if let Some(explicit) = explicit {
        return validate_explicit(explicit);
    }
    first_program(candidates(path, home))
}

/// Returns whether the file needs a JavaScript runtime.
pub(crate) fn is_script(path: &Path) -> bool {
    has_extension(
        path,
        &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
    )
}

fn first_program(mut candidates: Vec<PathBuf>) -> Result<PathBuf> {
    if let Some(found) = candidates
        .iter()
        .position(|candidate| is_program(candidate))
    {
        return Ok(candidates.swap_remove(found));
    }
    let mut message = String::from("the Claude Code CLI was not found; looked for");
    for candidate in &candidates {
        message.push_str("\n  ");
        message.push_str(&candidate.to_string_lossy());
    }
    message.push('\n');
    message.push_str(INSTALL_HINT);
    Err(Error::new(ErrorKind::CliNotFound, message))
}

/// Returns the files to try, in order and without duplicates.
fn candidates(path: Option<&OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = path
        .map(|path| {
            env::split_paths(path)
                .filter(|entry| entry.is_absolute())
                .collect()
        })
        .unwrap_or_default();
    if cfg!(windows) {
        directories.extend(home.map(|home| home.join(".local/bin")));
    } else {
        let below = |directory: &str| home.map(|home| home.join(directory));
        directories.extend(below(HOME_DIRECTORIES[0]));
        directories.push(PathBuf::from("/usr/local/bin"));
        directories.extend(
            HOME_DIRECTORIES[1..]
                .iter()
                .filter_map(|directory| below(directory)),
        );
    }
    let mut candidates = Vec::with_capacity(directories.len());
    for directory in directories {
        let candidate = directory.join(CLI_NAME);
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

fn validate_explicit(path: &Path) -> Result<PathBuf> {
    let refuse = |why: &str| {
        let shown = path.display();
        let message = format!("the CLI path {shown} {why}; check `Options::cli_path`");
        Error::new(ErrorKind::CliNotFound, message)
    };
    if cfg!(windows) && runs_in_cmd(path) {
        return Err(refuse(
            "is a batch file, which would parse the arguments a second time",
        ));
    }
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("does not exist"),
        _ => refuse("cannot be read").with_source(error),
    })?;
    if metadata.is_dir() {
        return Err(refuse("is a directory"));
    }
    if !is_script(path) && !is_executable(&metadata) {
        return Err(refuse("is not an executable file"));
    }
    // Resolved against the working directory of the host: the CLI may have another one.
    std::path::absolute(path).map_err(|error| refuse("has no absolute form").with_source(error))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| is_executable(&metadata))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// Returns whether a part of the path names a batch file; `cmd.exe` also runs one in the middle.
fn runs_in_cmd(path: &Path) -> bool {
    path.iter().any(|part| {
        // Windows ignores trailing dots and spaces of a name.
        let part = part.to_string_lossy();
        let name = part.trim_end_matches(['.', ' ']);
        has_extension(Path::new(name), &["bat", "cmd"])
    })
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| {
        extensions
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

#[cfg(all(test, unix))]
#[path = "locate_tests.rs"]
mod tests;
