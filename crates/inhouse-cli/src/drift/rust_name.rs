//! Names of Rust items from names on the wire.

/// Converts a name such as `activeForm`, `-B` or `ProposeSkills` to snake case.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            was_lower = false;
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            continue;
        }
        if c.is_ascii_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = !c.is_ascii_uppercase();
        snake.push(c.to_ascii_lowercase());
    }
    snake.trim_end_matches('_').to_owned()
}

/// Converts a name such as `in_progress`, `files-with-matches` or `activeForm` to the case of types.
pub(super) fn pascal_case(name: &str) -> String {
    let snake = snake_case(name);
    let words = snake.split('_').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// Returns the name of a field, which is no keyword.
pub(super) fn field(name: &str) -> String {
    match name {
        // The flags of `Grep` have one letter.
        "-A" => "after_context".to_owned(),
        "-B" => "before_context".to_owned(),
        "-C" => "around_context".to_owned(),
        "-i" => "ignore_case".to_owned(),
        "-n" => "line_numbers".to_owned(),
        "-o" => "only_matching".to_owned(),
        "type" | "ref" | "match" | "move" | "loop" => format!("r#{name}"),
        _ => snake_case(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_case_of_rust() {
        assert_eq!(
            snake_case("dangerouslyDisableSandbox"),
            "dangerously_disable_sandbox"
        );
        assert_eq!(snake_case("ReadMcpResourceTool"), "read_mcp_resource_tool");
        assert_eq!(snake_case("LSP"), "lsp");
        assert_eq!(snake_case("cherry-picked"), "cherry_picked");
        assert_eq!(pascal_case("propose_skills"), "ProposeSkills");
        assert_eq!(pascal_case("CONFIRMED"), "Confirmed");
        assert_eq!(pascal_case("acceptEdits"), "AcceptEdits");
        assert_eq!(field("type"), "r#type");
        assert_eq!(field("-n"), "line_numbers");
    }
}
