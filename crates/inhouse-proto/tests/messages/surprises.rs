use inhouse_proto::message::Message;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use crate::examples::all;
use crate::support::assert_deep_equal;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Members are removed, set to null, given another type, added and reordered, with whitespace between tokens and
    /// escapes in names. The line always decodes, and the message serializes to an equal line.
    #[test]
    fn mutated_lines_decode_and_round_trip(
        mut line in select(all()),
        changes in proptest::collection::vec((any::<Index>(), change()), 0..4),
        order in any::<u64>(),
        blank in select(vec!["", "", " ", "\t ", "\r\n"]),
        place in any::<u64>(),
        oddity in 0..3_u8,
    ) {
        for (place, change) in changes {
            apply(&mut line, place, change);
        }
        let mut text = String::new();
        let mut style = Style { order, blank, place, oddity };
        style.write(&line, &mut text);

        let read: Value = serde_json::from_str(&text).expect("the generated text is JSON");
        let message = Message::decode(text.as_bytes()).expect("the line is a JSON object");
        assert_deep_equal(&serde_json::to_value(&message).expect("messages serialize to JSON"), &read);

        // The order of members and whitespace must not affect decoding.
        let plain = Message::decode(read.to_string().as_bytes()).expect("the line is a JSON object");
        prop_assert_eq!(message.tag(), plain.tag());
        let is_typed = |message: &Message| !matches!(message, Message::Unknown(_));
        prop_assert_eq!(is_typed(&message), is_typed(&plain));
    }
}

#[derive(Clone, Debug)]
enum Change {
    Remove,
    Replace(Value),
    Add(Value),
}

fn change() -> impl Strategy<Value = Change> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        "[a-z_]{0,12}".prop_map(Value::from),
        select(vec![
            json!([]),
            json!({}),
            json!([null, 1, "x"]),
            json!({"type": "text", "x": null}),
            json!([{"type": "text", "text": 7}, {"a": {"b": []}}]),
        ]),
    ];
    prop_oneof![
        Just(Change::Remove),
        value.clone().prop_map(Change::Replace),
        value.prop_map(Change::Add),
    ]
}

/// Changes one member of an object at any depth.
fn apply(line: &mut Value, place: Index, change: Change) {
    let mut places = Vec::new();
    find_members(line, "", &mut places);
    if places.is_empty() {
        return;
    }
    let (object, name) = place.get(&places).clone();
    let members = line
        .pointer_mut(&object)
        .and_then(Value::as_object_mut)
        .expect("the pointer leads to an object");
    match change {
        Change::Remove => drop(members.remove(&name)),
        Change::Replace(value) => drop(members.insert(name, value)),
        Change::Add(value) => drop(members.insert("member_added_later".to_owned(), value)),
    }
}

/// Collects all members at any depth, each as the JSON pointer to its object and its name.
fn find_members(value: &Value, pointer: &str, places: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                places.push((pointer.to_owned(), name.clone()));
                find_members(value, &format!("{pointer}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_members(item, &format!("{pointer}/{index}"), places);
            }
        }
        _ => {}
    }
}

/// The formatting of a line: order of members, whitespace and escapes.
struct Style {
    /// Rotates the members of each object. Rotations are enough, because only the first and last member matter.
    order: u64,
    /// Whitespace between tokens, inserted where the low bit of `place` is clear.
    blank: &'static str,
    place: u64,
    /// If zero, about one in 64 names is written with an escape.
    oddity: u8,
}

impl Style {
    fn write(&mut self, value: &Value, text: &mut String) {
        match value {
            Value::Object(members) => {
                let mut separator = '{';
                for name in self.names(members) {
                    self.token(separator, text);
                    self.name(&name, text);
                    self.token(':', text);
                    self.write(&members[&name], text);
                    separator = ',';
                }
                if members.is_empty() {
                    self.token('{', text);
                }
                self.token('}', text);
            }
            Value::Array(items) => {
                let mut separator = '[';
                for item in items {
                    self.token(separator, text);
                    self.write(item, text);
                    separator = ',';
                }
                if items.is_empty() {
                    self.token('[', text);
                }
                self.token(']', text);
            }
            leaf => text.push_str(&leaf.to_string()),
        }
    }

    fn name(&mut self, name: &str, text: &mut String) {
        let json = |name: &str| Value::from(name).to_string();
        self.place = self.place.rotate_left(1);
        let is_odd = self.place.is_multiple_of(64);
        match (self.oddity, name.chars().next()) {
            (0, Some(first)) if is_odd => {
                let rest = json(&name[first.len_utf8()..]);
                text.push_str(&format!("\"\\u{:04x}{}", u32::from(first), &rest[1..]));
            }
            _ => text.push_str(&json(name)),
        }
    }

    fn token(&mut self, token: char, text: &mut String) {
        for part in [None, Some(token)] {
            text.extend(part);
            self.place = self.place.rotate_left(1);
            if self.place.is_multiple_of(2) {
                text.push_str(self.blank);
            }
        }
    }

    fn names(&mut self, members: &Map<String, Value>) -> Vec<String> {
        let mut names: Vec<_> = members.keys().cloned().collect();
        if !names.is_empty() {
            let shift = self.order % names.len() as u64;
            names.rotate_left(usize::try_from(shift).expect("the shift is less than the length"));
        }
        self.order = self.order.rotate_left(7);
        // The CLI writes the tags first, so half of the objects do too.
        if self.order.is_multiple_of(2) {
            names.sort_by_key(|name| match name.as_str() {
                "type" | "kind" => 0,
                "subtype" => 1,
                _ => 2,
            });
        }
        names
    }
}
