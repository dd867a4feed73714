//! Helpers that several test binaries share.

#![allow(dead_code, reason = "not every test binary uses every helper")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns whether two values are equal, with numbers compared by value: `0` equals `0.0`.
pub(crate) fn deep_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| deep_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| {
                    right.get(name).is_some_and(|right| deep_equal(left, right))
                })
        }
        (left, right) => left == right,
    }
}

/// Panics with both values if they are not equal.
#[track_caller]
pub(crate) fn assert_deep_equal(left: &Value, right: &Value) {
    assert!(
        deep_equal(left, right),
        "the values differ:\n  {left}\n  {right}"
    );
}

/// Lists the members that no typed field reads, as paths such as `message.content[].citations`.
///
/// `shown` decodes a value and renders the typed form. A member is unread if the typed form stays the same without it;
/// so is an optional member that fell back to `None` because of its shape. Of the items of a list that have one shape,
/// the first is checked.
pub(crate) fn unread(value: &Value, shown: &dyn Fn(&Value) -> String) -> BTreeSet<String> {
    let whole = shown(value);
    let mut members = Vec::new();
    find_members(value, "", "", &mut members);
    let mut unread = BTreeSet::new();
    for Member { object, name, path } in members {
        let mut without = value.clone();
        let members = without.pointer_mut(&object).and_then(Value::as_object_mut);
        members
            .expect("the pointer refers to an object")
            .remove(&name);
        if shown(&without) == whole {
            unread.insert(path);
        }
    }
    unread
}

/// Returns whether a member is the tag that determines the type of its object.
pub(crate) fn is_tag(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default();
    matches!(name, "type" | "subtype" | "kind")
}

/// Renders which members a value has and of which kinds, so that values of one shape are checked once.
pub(crate) fn shape(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| match (name.as_str(), value) {
                ("type" | "subtype" | "kind", Value::String(tag)) => format!("{name}={tag}"),
                _ => format!("{name}:{}", shape(value)),
            };
            format!(
                "{{{}}}",
                members.iter().map(member).collect::<Vec<_>>().join(",")
            )
        }
        Value::Array(items) => {
            let items: BTreeSet<_> = items.iter().map(shape).collect();
            format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
        }
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        // Integer fields do not accept each of these.
        Value::Number(number) if number.is_u64() => "unsigned".to_owned(),
        Value::Number(number) if number.is_i64() => "integer".to_owned(),
        Value::Number(_) => "fraction".to_owned(),
        Value::String(_) => "string".to_owned(),
    }
}

/// A member somewhere in a value.
struct Member {
    /// The JSON pointer to the object of the member.
    object: String,
    name: String,
    /// The path without the indices of lists.
    path: String,
}

fn find_members(value: &Value, pointer: &str, path: &str, found: &mut Vec<Member>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                // A `null` is read as absent.
                if !value.is_null() {
                    found.push(Member {
                        object: pointer.to_owned(),
                        name: name.clone(),
                        path: path.clone(),
                    });
                }
                let name = name.replace('~', "~0").replace('/', "~1");
                find_members(value, &format!("{pointer}/{name}"), &path, found);
            }
        }
        Value::Array(items) => {
            let mut shapes = BTreeSet::new();
            for (index, item) in items.iter().enumerate() {
                if !shapes.insert(shape(item)) {
                    continue;
                }
                find_members(
                    item,
                    &format!("{pointer}/{index}"),
                    &format!("{path}[]"),
                    found,
                );
            }
        }
        _ => {}
    }
}

/// Returns the paths of all recordings `fixtures/<version>/*` whose names end like this: `.out.jsonl` for the output of
/// CLIs, `.jsonl` for that of hosts as well.
pub(crate) fn recordings(ending: &str) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = |directory: PathBuf| {
        fs::read_dir(directory)
            .expect("the directory can be listed")
            .map(|entry| entry.expect("the entry can be read").path())
    };
    let mut files: Vec<_> = entries(fixtures)
        .filter(|path| path.is_dir())
        .flat_map(entries)
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    assert!(!files.is_empty(), "there are no recordings");
    files.sort();
    files
}
