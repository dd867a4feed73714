//! Example lines in the format of the CLI, written by hand from its type declarations.

use serde_json::Value;

/// Returns one example for each tag, with only the required members.
pub(crate) fn minimal() -> Vec<Value> {
    list(include_str!("examples/minimal.json"))
}

/// Returns one or more examples for each tag, which together contain all known members.
pub(crate) fn full() -> Vec<Value> {
    [
        include_str!("examples/conversation.json"),
        include_str!("examples/stream.json"),
        include_str!("examples/content.json"),
        include_str!("examples/system.json"),
        include_str!("examples/around.json"),
    ]
    .into_iter()
    .flat_map(list)
    .collect()
}

pub(crate) fn all() -> Vec<Value> {
    let mut all = minimal();
    all.extend(full());
    all
}

/// Returns the `type` of a line, or `type/subtype`.
pub(crate) fn tag(line: &Value) -> String {
    match (line["type"].as_str(), line["subtype"].as_str()) {
        (Some(kind), Some(subtype)) => format!("{kind}/{subtype}"),
        (Some(kind), None) => kind.to_owned(),
        _ => panic!("the example has no type: {line}"),
    }
}

fn list(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("the examples are JSON")
}
