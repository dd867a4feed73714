use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::Parser;

/// Whether the CLI compares a matcher as it is: anything else is a regular expression to it.
pub(super) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

/// A matcher for exactly this text.
pub(super) fn exactly(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut pattern = String::from("^");
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('$');
    pattern
}

/// What is wrong with a regular expression, in JavaScript's dialect as well as in Rust's: one that is
/// invalid matches nothing, and the CLI does not say so.
pub(super) fn problem(pattern: &str) -> Option<String> {
    if pattern.is_empty() {
        return Some("an empty pattern matches everything; use `Matcher::any()`".to_owned());
    }
    // To the CLI this is everything, although it is no regular expression.
    if pattern == "*" {
        return None;
    }
    let error = Parser::new().parse(pattern).err()?;
    let reason = match error.kind() {
        ErrorKind::GroupUnclosed => "a group is not closed",
        ErrorKind::GroupUnopened => "a `)` closes nothing",
        ErrorKind::RepetitionMissing => "there is nothing to repeat",
        // JavaScript takes the first `]` for the end, also right behind the `[`.
        ErrorKind::ClassUnclosed if !pattern[error.span().start.offset..].contains(']') => {
            "a `[` is not closed"
        }
        _ => return None,
    };
    Some(format!(
        "the pattern `{pattern}` is invalid and would match nothing: {reason}"
    ))
}

#[cfg(test)]
mod tests {
    use super::{exactly, problem};

    #[test]
    fn names_stay_and_everything_else_is_escaped() {
        assert_eq!(exactly("mcp__my-srv__add"), "mcp__my-srv__add");
        assert_eq!(exactly("a.b"), r"^a\.b$");
        assert_eq!(exactly("what? (no)"), r"^what\? \(no\)$");
    }

    #[test]
    fn what_is_wrong_in_both_dialects_is_found() {
        for pattern in ["", "(", "mcp__(a|b", "a)", "[a-z", "+", "a|*", "(?:*)"] {
            assert!(problem(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn what_only_javascript_knows_is_left_alone() {
        for pattern in [
            "*",
            ".*",
            "mcp__.*",
            "Bash|Read",
            "Bash, Read",
            "^(?!Bash$)",
            "(?<=a)b",
            "[]",
            "[^]",
            r"(a)\1",
            r"\cA",
            "a{,3}",
        ] {
            assert_eq!(problem(pattern), None, "{pattern}");
        }
    }
}
