//! Where the CLI is.

use std::env;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// What to do when there is no CLI; the end of a sentence.
pub(crate) const INSTALL_HINT: &str = "install it with `npm install -g \
     @anthropic-ai/claude-code`, or point at it with `Options::cli_path`";

/// On Windows only the program itself: a `.cmd` shim would be run by a shell that parses the
/// arguments anew.
const CLI_NAME: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};

/// Where installers put the CLI below the home directory, beside `/usr/local/bin`.
const HOME_PLACES: [&str; 5] = [
    ".npm-global/bin",
    ".local/bin",
    "node_modules/.bin",
    ".yarn/bin",
    ".claude/local",
];

/// Finds the CLI: the `explicit` path and no other if there is one, else the first program of its
/// name in the search `path`, else in the well-known places.
///
/// `path` and `home` are those of the environment that the CLI will run in. Entries of the search
/// path that are not absolute are passed over: what they mean depends on a working directory that
/// may belong to somebody else.
pub(crate) fn locate(
    explicit: Option<&Path>,
    path: Option<&OsStr>,
    home: Option<&Path>,
) -> Result<PathBuf> {
    if let Some(explicit) = explicit {
        return check_explicit(explicit);
    }
    first_program(candidates(path, home))
}

/// Whether a JavaScript runtime must run the file.
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

/// The files to look at, in order and each once.
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
        let below = |place: &str| home.map(|home| home.join(place));
        directories.extend(below(HOME_PLACES[0]));
        directories.push(PathBuf::from("/usr/local/bin"));
        directories.extend(HOME_PLACES[1..].iter().filter_map(|place| below(place)));
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

fn check_explicit(path: &Path) -> Result<PathBuf> {
    let refuse = |why: &str| {
        let shown = path.display();
        let message = format!("the CLI path {shown} {why}; check `Options::cli_path`");
        Error::new(ErrorKind::CliNotFound, message)
    };
    if cfg!(windows) && runs_in_cmd(path) {
        return Err(refuse(
            "is a batch file, which would parse the arguments anew",
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
    // Relative to the host's working directory: the CLI may get another one.
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

/// Whether any part of the path names a batch file: `cmd.exe` finds one in the middle, too.
fn runs_in_cmd(path: &Path) -> bool {
    path.iter().any(|part| {
        // Windows drops dots and spaces at the end of a name.
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
