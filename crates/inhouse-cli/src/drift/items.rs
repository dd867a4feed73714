//! The single things of a surface, and the differences between two surfaces.

use std::collections::BTreeMap;

use serde::Serialize;

use super::shape::{Property, Shape, kind};
use super::surface::{Area, Surface};

/// A thing of the surface: a message, a member, a value of a string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Item {
    pub(super) area: Area,
    /// The path, such as `system/init.mcp_servers[].name` or `assistant.error = 'rate_limit'`.
    pub(super) path: String,
}

impl Item {
    /// Returns whether this is a part of `whole`.
    pub(super) fn is_in(&self, whole: &Self) -> bool {
        let rest = self.path.strip_prefix(&whole.path);
        self.area == whole.area
            && rest.is_some_and(|rest| {
                rest.starts_with(['.', '[', '{', '(']) || rest.starts_with(" = ")
            })
    }
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.area.name(), self.path)
    }
}

/// Lists the things of a surface with their kinds.
pub(super) fn items(surface: &Surface) -> BTreeMap<Item, String> {
    let mut items = BTreeMap::new();
    for area in Area::ALL {
        for (name, shape) in surface.area(area) {
            let mut found = Vec::new();
            push(name.clone(), shape, false, &mut found);
            for (path, kind) in found {
                let kinds: &mut String = items.entry(Item { area, path }).or_default();
                // Two alternatives of a union without a tag have a member of this name.
                if kinds.is_empty() {
                    *kinds = kind;
                } else if *kinds != kind {
                    *kinds = format!("{kinds} or {kind}");
                }
            }
        }
    }
    items
}

fn push(path: String, shape: &Shape, optional: bool, items: &mut Vec<(String, String)>) {
    let optional = if optional { ", optional" } else { "" };
    items.push((path.clone(), format!("{}{optional}", kind(shape))));
    push_content(&path, shape, items);
}

/// Adds the parts of a shape: the members of its objects, and the values of its strings.
fn push_content(path: &str, shape: &Shape, items: &mut Vec<(String, String)>) {
    match shape {
        Shape::Named(_) => {}
        Shape::Literal(text) => items.push((format!("{path} = '{text}'"), "value".to_owned())),
        Shape::List(of) => push_content(&format!("{path}[]"), of, items),
        Shape::Map(of) => push_content(&format!("{path}{{}}"), of, items),
        Shape::Object(members) => push_members(path, members, items),
        Shape::Union(shapes) => {
            let tag = tag_of_union(shape);
            for shape in shapes {
                match (shape, &tag) {
                    (Shape::Object(members), Some(tag)) => {
                        let (alternative, _) = alternative_path(path, tag, members);
                        items.push((alternative.clone(), "object".to_owned()));
                        push_members(&alternative, members, items);
                    }
                    (shape, _) => push_content(path, shape, items),
                }
            }
        }
    }
}

fn push_members(
    path: &str,
    members: &BTreeMap<String, Property>,
    items: &mut Vec<(String, String)>,
) {
    for (name, member) in members {
        push(
            format!("{path}.{name}"),
            &member.shape,
            member.optional,
            items,
        );
    }
}

/// Returns the path of an alternative of a union, and the value of its tag.
pub(super) fn alternative_path(
    path: &str,
    tag: &str,
    members: &BTreeMap<String, Property>,
) -> (String, String) {
    let values = members.get(tag).and_then(|member| member.shape.literals());
    let value = values.unwrap_or_default().join("/");
    (format!("{path}({tag}={value})"), value)
}

/// Finds a member by whose value the objects of a union differ; `None` if the union has at most one object.
pub(super) fn tag_of_union(union: &Shape) -> Option<String> {
    let alternatives = union.alternatives().iter();
    let objects: Vec<_> = alternatives
        .filter_map(|shape| match shape {
            Shape::Object(members) => Some(members),
            _ => None,
        })
        .collect();
    if objects.len() < 2 {
        return None;
    }
    let tag = objects[0].keys().find(|name| {
        let mut values: Vec<_> = objects
            .iter()
            .filter_map(|object| object.get(*name)?.shape.literals())
            .collect();
        let all = values.len();
        values.sort();
        values.dedup();
        all == objects.len() && values.len() == all
    });
    tag.cloned()
}

/// A difference of a newer surface to an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    #[serde(flatten)]
    pub(super) item: Item,
    pub(super) change: Change,
    /// The kind in the earlier surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<String>,
    /// The kind in the newer surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is: Option<String>,
}

/// What happened to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    Added,
    Gone,
    Changed,
}

/// Compares the areas that both surfaces have. Of a thing that was added or is gone, the parts are not listed.
pub(super) fn differences(earlier: &Surface, newer: &Surface) -> Vec<Difference> {
    let both = |item: &Item| {
        earlier.areas.contains_key(&item.area) && newer.areas.contains_key(&item.area)
    };
    let (before, after) = (items(earlier), items(newer));
    let mut differences: Vec<Difference> = Vec::new();
    let mut all: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|item| both(item))
        .collect();
    all.sort();
    all.dedup();
    for item in all {
        let (was, is) = (before.get(item), after.get(item));
        let change = match (was, is) {
            (Some(was), Some(is)) if was == is => continue,
            (Some(_), Some(_)) => Change::Changed,
            (None, _) => Change::Added,
            (_, None) => Change::Gone,
        };
        let is_part = differences.iter().rev().any(|earlier| {
            earlier.change == change && change != Change::Changed && item.is_in(&earlier.item)
        });
        if !is_part {
            differences.push(Difference {
                item: item.clone(),
                change,
                was: was.cloned(),
                is: is.cloned(),
            });
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn surface(messages: Value) -> Surface {
        serde_json::from_value(json!({"sdk": "0", "areas": {"message": messages}})).unwrap()
    }

    fn compare(before: Value, after: Value) -> Vec<String> {
        let differences = differences(&surface(before), &surface(after));
        let line = |it: Difference| format!("{:?} {}", it.change, it.item.path);
        differences.into_iter().map(line).collect()
    }

    #[test]
    fn items_name_members_alternatives_and_values() {
        let surface = surface(json!({"a": {
            "b?": [{"c": "'x' | 'y' | null"}],
            "d": {"|": [{"kind": "'e'", "f": "string"}, {"kind": "'g'", "f?": "number"}]},
            "h": {"*": {"i": "boolean"}},
        }}));
        let lines: Vec<_> = items(&surface)
            .into_iter()
            .map(|(item, kind)| format!("{}: {kind}", item.path))
            .collect();
        assert_eq!(
            lines,
            [
                "a: object",
                "a.b: list of object, optional",
                "a.b[].c: null | string of a set",
                "a.b[].c = 'x': value",
                "a.b[].c = 'y': value",
                "a.d: object",
                "a.d(kind=e): object",
                "a.d(kind=e).f: string",
                "a.d(kind=e).kind: string of a set",
                "a.d(kind=e).kind = 'e': value",
                "a.d(kind=g): object",
                "a.d(kind=g).f: number, optional",
                "a.d(kind=g).kind: string of a set",
                "a.d(kind=g).kind = 'g': value",
                "a.h: map of object",
                "a.h{}.i: boolean",
            ]
        );
    }

    #[test]
    fn additions_removals_and_changes_are_found() {
        assert_eq!(
            compare(
                json!({"a": {"b": "string", "c": {"d": "string"}, "e": "'x' | 'y'"}, "f": {}}),
                json!({"a": {"b": "number", "c2": {"d": "string"}, "e": "'x' | 'z'"}, "g": {"h": "string"}}),
            ),
            [
                "Changed a.b",
                "Gone a.c",
                "Added a.c2",
                "Gone a.e = 'y'",
                "Added a.e = 'z'",
                "Gone f",
                "Added g",
            ]
        );
    }

    #[test]
    fn optional_members_and_null_are_changes() {
        let before = json!({"a": {"b": "string", "c?": "string"}});
        let after = json!({"a": {"b?": "string", "c?": "null | string"}});
        assert_eq!(compare(before, after), ["Changed a.b", "Changed a.c"]);
    }

    #[test]
    fn areas_that_were_not_read_are_not_compared() {
        let mut newer = surface(json!({}));
        newer.areas.clear();
        assert_eq!(differences(&surface(json!({"a": {}})), &newer), []);
    }
}
