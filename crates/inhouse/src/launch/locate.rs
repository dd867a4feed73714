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

/// Directories where installers put the CLI, in the order of the search; `~` is the home directory.
const INSTALL_DIRECTORIES: &[&str] = if cfg!(windows) {
    &["~/.local/bin"]
} else {
    &[
        "~/.npm-global/bin",
        "/usr/local/bin",
        "~/.local/bin",
        "~/node_modules/.bin",
        "~/.yarn/bin",
        "~/.claude/local",
    ]
};

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
    let searched = path.into_iter().flat_map(env::split_paths);
    let searched = searched.filter(|entry| entry.is_absolute());
    let installed =
        INSTALL_DIRECTORIES
            .iter()
            .filter_map(|directory| match directory.strip_prefix("~/") {
                Some(below) => Some(home?.join(below)),
                None => Some(PathBuf::from(directory)),
            });
    let mut candidates = Vec::new();
    for directory in searched.chain(installed) {
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
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;

    /// Creates a directory with these files; those with a trailing `*` are executable.
    fn tree(files: &[&str]) -> TempDir {
        let root = TempDir::new().unwrap();
        for file in files {
            let (name, mode) = match file.strip_suffix('*') {
                Some(name) => (name, 0o755),
                None => (*file, 0o644),
            };
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        root
    }

    /// Returns the candidates for the search path `a:b` and the home `home` below `root`, without
    /// `/usr/local/bin`.
    fn candidates_below(root: &Path) -> Vec<PathBuf> {
        let path = env::join_paths([root.join("a"), root.join("b")]).unwrap();
        let mut candidates = candidates(Some(&path), Some(&root.join("home")));
        candidates.retain(|candidate| candidate.starts_with(root));
        candidates
    }

    #[test]
    fn first_executable_is_found() {
        let table: [(&[&str], &str); 9] = [
            (
                &["a/claude*", "b/claude*", "home/.local/bin/claude*"],
                "a/claude",
            ),
            (&["b/claude*", "home/.npm-global/bin/claude*"], "b/claude"),
            (&["a/claude", "b/claude*"], "b/claude"),
            (&["a/claude/file*", "b/claude*"], "b/claude"),
            (
                &["home/.npm-global/bin/claude*", "home/.local/bin/claude*"],
                "home/.npm-global/bin/claude",
            ),
            (&["home/.local/bin/claude*"], "home/.local/bin/claude"),
            (
                &["home/node_modules/.bin/claude*"],
                "home/node_modules/.bin/claude",
            ),
            (&["home/.yarn/bin/claude*"], "home/.yarn/bin/claude"),
            (&["home/.claude/local/claude*"], "home/.claude/local/claude"),
        ];
        for (files, expected) in table {
            let root = tree(files);
            let found = first_program(candidates_below(root.path())).unwrap();
            assert_eq!(found, root.path().join(expected), "{files:?}");
        }
    }

    #[test]
    fn search_path_is_searched() {
        let root = tree(&["a/claude*"]);
        let path = root.path().join("a");
        let found = locate(None, Some(path.as_os_str()), None).unwrap();
        assert_eq!(found, path.join("claude"));
    }

    #[test]
    fn candidates_are_ordered_and_unique() {
        let path = OsStr::new("/first:relative::./dot:/usr/local/bin:/first");
        let places = candidates(Some(path), Some(Path::new("/h")));
        let expected = [
            "/first/claude",
            "/usr/local/bin/claude",
            "/h/.npm-global/bin/claude",
            "/h/.local/bin/claude",
            "/h/node_modules/.bin/claude",
            "/h/.yarn/bin/claude",
            "/h/.claude/local/claude",
        ];
        assert_eq!(places, expected.map(PathBuf::from));
        assert_eq!(
            candidates(None, None),
            [PathBuf::from("/usr/local/bin/claude")]
        );
    }

    #[test]
    fn error_for_a_missing_cli_lists_candidates_and_a_remedy() {
        let root = tree(&["a/claude"]);
        let candidates = candidates_below(root.path());
        let error = first_program(candidates.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CliNotFound);
        let text = error.to_string();
        assert_eq!(candidates.len(), 7);
        for candidate in candidates {
            assert!(text.contains(candidate.to_str().unwrap()), "{text}");
        }
        assert!(
            text.contains("npm install -g @anthropic-ai/claude-code"),
            "{text}"
        );
        assert!(text.contains("Options::cli_path"), "{text}");
    }

    #[test]
    fn explicit_path_is_the_only_candidate() {
        let root = tree(&["a/claude*", "tool*", "plain", "cli.mjs"]);
        let path = root.path().join("a");
        let locate =
            |name: &str| locate(Some(&root.path().join(name)), Some(path.as_os_str()), None);

        assert_eq!(locate("tool").unwrap(), root.path().join("tool"));
        assert_eq!(locate("cli.mjs").unwrap(), root.path().join("cli.mjs"));
        for (name, why) in [
            ("missing", "does not exist"),
            ("missing.js", "does not exist"),
            ("a", "is a directory"),
            ("plain", "is not an executable file"),
            ("plain/below", "cannot be read"),
        ] {
            let error = locate(name).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CliNotFound);
            let text = error.to_string();
            assert!(text.contains(&format!("{name} {why}")), "{text}");
            assert!(text.contains("Options::cli_path"), "{text}");
        }
    }

    #[test]
    fn relative_explicit_path_becomes_absolute() {
        let root = tree(&["tool*"]);
        let here = env::current_dir().unwrap();
        let up: PathBuf = here.iter().skip(1).map(|_| "..").collect();
        let relative = up.join(root.path().strip_prefix("/").unwrap()).join("tool");
        let found = locate(Some(&relative), None, None).unwrap();
        assert_eq!(found, here.join(relative));
    }

    #[test]
    fn scripts_and_batch_files_are_recognized_by_name() {
        for script in ["cli.js", "/x/cli.mjs", "cli.TS", "cli.tsx", "cli.jsx"] {
            assert!(is_script(Path::new(script)), "{script}");
        }
        for program in ["claude", "/x.js/claude", "claude.exe"] {
            assert!(!is_script(Path::new(program)), "{program}");
        }
        for batch in [
            "claude.cmd",
            "x/claude.BAT",
            "x.bat/claude.exe",
            "claude.cmd. .",
        ] {
            assert!(runs_in_cmd(Path::new(batch)), "{batch}");
        }
        assert!(!runs_in_cmd(Path::new("x/command/claude.exe")));
    }
}
