/// Returns whether a subpath stays below the directory of its session, on every platform.
///
/// A subpath names a further transcript of a session, such as `subagents/agent-a1b2`. A safe subpath has only non-empty
/// parts that are separated by `/`; no part is `.` or `..`, or contains a backslash, a colon or a control character.
///
/// ```
/// use inhouse_proto::session::is_safe_subpath;
///
/// assert!(is_safe_subpath("subagents/agent-a1b2"));
/// assert!(!is_safe_subpath("../other-session"));
/// ```
#[must_use]
pub fn is_safe_subpath(subpath: &str) -> bool {
    subpath.split('/').all(|part| {
        !matches!(part, "" | "." | "..")
            && !part.contains(|c: char| matches!(c, '\\' | ':') || c.is_control())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subpath_that_leaves_the_session_is_unsafe() {
        for subpath in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            "C:",
            "C:/a",
            "a\\..\\b",
            "a\0b",
            "a\nb",
        ] {
            assert!(!is_safe_subpath(subpath), "{subpath:?}");
        }
    }

    #[test]
    fn subpath_of_a_subagent_is_safe() {
        for subpath in [
            "subagents/agent-a",
            "subagents/workflows/w1/agent-é",
            "a..b",
        ] {
            assert!(is_safe_subpath(subpath), "{subpath:?}");
        }
    }
}
