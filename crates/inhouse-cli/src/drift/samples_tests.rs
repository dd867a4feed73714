//! Sample values of a shape, for tests.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::items::{alternative_path, tag_of_union};
use super::shape::Shape;

/// A value that has every member, with one alternative of each union.
pub(super) struct Sample {
    pub(super) value: Value,
    pub(super) members: Vec<SampleMember>,
    pub(super) alternatives: Vec<Alternative>,
}

/// A member of a sample.
pub(super) struct SampleMember {
    /// The JSON pointer to the object that has the member.
    pub(super) object: String,
    pub(super) name: String,
    /// The path of the item.
    pub(super) path: String,
}

/// An alternative of a union that a sample has.
pub(super) struct Alternative {
    /// The path of the item.
    pub(super) path: String,
    /// The string, or the tag of the object.
    pub(super) value: String,
}

/// Returns samples that together have every alternative of every union.
pub(super) fn samples(name: &str, shape: &Shape) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut open = vec![BTreeMap::new()];
    let mut seen = BTreeSet::new();
    while let Some(choices) = open.pop() {
        let mut builder = Builder {
            choices: &choices,
            unions: BTreeMap::new(),
            members: Vec::new(),
            alternatives: Vec::new(),
        };
        let value = builder.value(shape, name, "");
        let Builder {
            unions,
            members,
            alternatives,
            ..
        } = builder;
        samples.push(Sample {
            value,
            members,
            alternatives,
        });
        for (path, count) in unions {
            if seen.insert(path.clone()) {
                open.extend((1..count).map(|choice| {
                    let mut choices = choices.clone();
                    choices.insert(path.clone(), choice);
                    choices
                }));
            }
        }
    }
    samples
}

struct Builder<'a> {
    /// The alternatives to choose, by the paths of unions; the first of all others.
    choices: &'a BTreeMap<String, usize>,
    /// The numbers of alternatives of the unions so far.
    unions: BTreeMap<String, usize>,
    members: Vec<SampleMember>,
    alternatives: Vec<Alternative>,
}

impl Builder<'_> {
    fn value(&mut self, shape: &Shape, path: &str, pointer: &str) -> Value {
        match shape {
            Shape::Named(name) => named(name),
            Shape::Literal(text) => {
                self.alternatives.push(Alternative {
                    path: format!("{path} = '{text}'"),
                    value: text.clone(),
                });
                json!(text)
            }
            Shape::List(of) => {
                json!([self.value(of, &format!("{path}[]"), &format!("{pointer}/0"))])
            }
            Shape::Map(of) => {
                json!({"key": self.value(of, &format!("{path}{{}}"), &format!("{pointer}/key"))})
            }
            Shape::Object(members) => {
                let mut object = Map::new();
                for (name, member) in members {
                    let member_path = format!("{path}.{name}");
                    self.members.push(SampleMember {
                        object: pointer.to_owned(),
                        name: name.clone(),
                        path: member_path.clone(),
                    });
                    let escaped = name.replace('~', "~0").replace('/', "~1");
                    let value =
                        self.value(&member.shape, &member_path, &format!("{pointer}/{escaped}"));
                    object.insert(name.clone(), value);
                }
                Value::Object(object)
            }
            Shape::Union(shapes) => {
                // `null` last: a member that is `null` is decoded like an absent one.
                let mut shapes: Vec<_> = shapes.iter().collect();
                shapes.sort_by_key(|shape| **shape == Shape::named("null"));
                let choice = self.choices.get(path).copied().unwrap_or_default();
                self.unions.insert(path.to_owned(), shapes.len());
                let chosen = shapes[choice];
                match (chosen, tag_of_union(shape)) {
                    (Shape::Object(members), Some(tag)) => {
                        let (path, value) = alternative_path(path, &tag, members);
                        self.alternatives.push(Alternative {
                            path: path.clone(),
                            value,
                        });
                        self.value(chosen, &path, pointer)
                    }
                    _ => self.value(chosen, path, pointer),
                }
            }
        }
    }
}

/// Returns a value of a type that the declarations import or do not describe.
fn named(name: &str) -> Value {
    match name {
        "string" => json!("text"),
        "number" => json!(7),
        "boolean" | "true" => json!(true),
        "false" => json!(false),
        "null" => Value::Null,
        "UUID" => json!("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11"),
        "BetaMessage" => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 2},
        }),
        "BetaUsage" | "NonNullableUsage" => json!({"input_tokens": 1, "output_tokens": 2}),
        "BetaRawMessageStreamEvent" => json!({"type": "message_stop"}),
        "MessageParam" => json!({"role": "user", "content": "text"}),
        "JSONRPCMessage" => json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        "CallToolResult" => json!({"content": []}),
        _ if name.ends_with("[]") => json!(["text"]),
        _ => json!({"key": "value"}),
    }
}
