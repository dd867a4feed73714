/// Why a name cannot stand in the rule `Skill(name)`, if it cannot.
pub(super) fn flaw(name: &str) -> Option<&'static str> {
    let forbidden = |c: char| matches!(c, '(' | ')' | ',' | '\u{feff}') || c.is_control();
    if name.is_empty() {
        Some("is empty")
    } else if name.trim() != name {
        Some("has spaces around it")
    } else if name.contains(forbidden) {
        Some("contains a parenthesis, a comma or a control character")
    } else if name == "*" || name.ends_with(":*") || name.ends_with(" *") {
        Some("is a pattern")
    } else if name.starts_with('/') {
        Some("starts with a slash")
    } else if name.contains("\\\\") || name.ends_with('\\') {
        Some("has a backslash at its end, or two in a row")
    } else {
        None
    }
}
