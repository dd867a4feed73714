//! The cache of installed CLIs.

use std::{ffi::OsString, path::PathBuf};

/// Returns the directory with one subdirectory per version, or `None` if no environment variable names one.
pub(super) fn directory(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| {
        env(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let ours = set("INHOUSE_TESTKIT_CACHE");
    let shared = || {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .or_else(|| set("LOCALAPPDATA"))
            .map(|cache| cache.join("inhouse-testkit"))
    };
    ours.or_else(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_variable_wins_and_empty_ones_are_ignored() {
        let directory = |variables: &[(&str, &str)]| {
            directory(&|name| {
                let found = variables.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        let home = ("HOME", "/h");
        assert_eq!(directory(&[home]), Some("/h/.cache/inhouse-testkit".into()));
        let xdg = ("XDG_CACHE_HOME", "/x");
        assert_eq!(directory(&[home, xdg]), Some("/x/inhouse-testkit".into()));
        assert_eq!(
            directory(&[home, xdg, ("INHOUSE_TESTKIT_CACHE", "/c")]),
            Some("/c".into())
        );
        assert_eq!(
            directory(&[home, ("XDG_CACHE_HOME", "")]),
            Some("/h/.cache/inhouse-testkit".into())
        );
        assert_eq!(directory(&[]), None);
    }
}
