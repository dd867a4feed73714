use ratatui_core::text::Line;
use serde_json::{Map, Value};

/// Returns a readable tool name: `calc add` for `mcp__calc__add`.
pub(crate) fn tool_name(name: &str) -> String {
    match name.strip_prefix("mcp__") {
        Some(name) => name.replace("__", " "),
        None => name.to_owned(),
    }
}

/// Returns the most informative argument of a tool call, or all of them.
pub(crate) fn summary(input: &Map<String, Value>) -> String {
    const INFORMATIVE: [&str; 6] = [
        "command",
        "file_path",
        "pattern",
        "url",
        "query",
        "description",
    ];
    let mut values = INFORMATIVE
        .iter()
        .filter_map(|&name| input.get(name)?.as_str());
    match values.next() {
        Some(text) => text.to_owned(),
        None if input.is_empty() => String::new(),
        None => Value::Object(input.clone()).to_string(),
    }
}

/// Returns the arguments of a call, short ones first, so that a long one does not push a path or a command
/// off the screen.
pub(crate) fn arguments(input: &Map<String, Value>) -> Vec<Line<'static>> {
    let members = input.iter().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    });
    let mut members: Vec<String> = members.collect();
    members.sort_by_key(String::len);
    members.iter().flat_map(|member| lines(member)).collect()
}

/// Returns the lines of a text.
pub(crate) fn lines(text: &str) -> Vec<Line<'static>> {
    let lines = text.lines().map(|line| line.replace('\t', "    "));
    lines.map(Line::raw).collect()
}
