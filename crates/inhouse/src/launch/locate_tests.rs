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
    let locate = |name: &str| locate(Some(&root.path().join(name)), Some(path.as_os_str()), None);

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
