use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::Parser;

/// Returns whether the CLI compares a matcher literally; it treats any other as a regular expression.
pub(super) fn is_literal(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Returns a matcher for any of these names, of which each may end with `*`.
pub(super) fn any_of(names: &[String]) -> String {
    if !names.iter().any(|name| name.ends_with('*')) {
        return names.join("|");
    }
    // One expression makes the CLI treat all names as expressions.
    let names = names.iter().map(|name| match name.strip_suffix('*') {
        Some(prefix) => format!("{prefix}.*"),
        None => name.clone(),
    });
    format!("^({})$", names.collect::<Vec<_>>().join("|"))
}

/// Returns a matcher for exactly this text.
pub(super) fn exactly(text: &str) -> String {
    if is_literal(text) {
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

/// Returns why a regular expression is invalid, if it is so in JavaScript's dialect as well as in Rust's.
///
/// The CLI does not report an invalid pattern: it matches nothing (2.1.325).
pub(super) fn problem(pattern: &str) -> Option<String> {
    if pattern.is_empty() {
        return Some("an empty pattern matches everything; use `Matcher::any()`".to_owned());
    }
    // The CLI takes `*` for everything, although it is not a regular expression.
    if pattern == "*" {
        return None;
    }
    let error = Parser::new().parse(pattern).err()?;
    let reason = match error.kind() {
        ErrorKind::GroupUnclosed => "a group is not closed",
        ErrorKind::GroupUnopened => "a `)` closes nothing",
        ErrorKind::RepetitionMissing => "there is nothing to repeat",
        // In JavaScript the first `]` closes the class, also directly after the `[`.
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
    use super::{any_of, exactly, problem};

    #[test]
    fn names_with_a_star_become_one_expression() {
        let names =
            |names: &[&str]| any_of(&names.iter().map(|&name| name.into()).collect::<Vec<_>>());
        assert_eq!(names(&["Write", "Edit"]), "Write|Edit");
        assert_eq!(names(&["mcp__bank__*"]), "^(mcp__bank__.*)$");
        assert_eq!(names(&["Write", "mcp__a__*"]), "^(Write|mcp__a__.*)$");
    }

    #[test]
    fn exact_matchers_escape_everything_but_names() {
        assert_eq!(exactly("mcp__my-srv__add"), "mcp__my-srv__add");
        assert_eq!(exactly("a.b"), r"^a\.b$");
        assert_eq!(exactly("what? (no)"), r"^what\? \(no\)$");
    }

    #[test]
    fn patterns_invalid_in_both_dialects_are_reported() {
        for pattern in ["", "(", "mcp__(a|b", "a)", "[a-z", "+", "a|*", "(?:*)"] {
            assert!(problem(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn patterns_valid_in_javascript_are_accepted() {
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
