//! Lines in the shape of the CLI's, invented from its declarations.

use serde_json::Value;

/// Of each kind of message, one with nothing but its required members.
pub(crate) fn minimal() -> Vec<Value> {
    list(include_str!("examples/minimal.json"))
}

/// Of each kind of message, one or more that together have all known members.
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

/// The tag that a line says it has.
pub(crate) fn tag(line: &Value) -> String {
    match (line["type"].as_str(), line["subtype"].as_str()) {
        (Some(kind), Some(subtype)) => format!("{kind}/{subtype}"),
        (Some(kind), None) => kind.to_owned(),
        _ => panic!("an example without a type: {line}"),
    }
}

fn list(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("the examples are JSON")
}
