//! Random ids, replaced by numbers in the order of their appearance.

use std::collections::HashMap;

use inhouse_testkit::recording::Side;

/// The ids found so far and their replacements.
#[derive(Default)]
pub(crate) struct Numbering {
    uuids: HashMap<String, String>,
    /// The number of ids per side; counted separately, because the interleaving of the sides varies.
    counts: [usize; 2],
    /// Ids of other formats, found by the names of their members.
    named: Vec<(String, String)>,
}

/// Members with ids that the CLI generates, and the prefix of their replacement.
const NAMED: &[(&str, &str)] = &[
    ("\"agent_id\":\"", "agent"),
    ("\"task_id\":\"", "task"),
    ("\"run_id\":\"", "run"),
];

impl Numbering {
    /// Collects the ids in members of these lines.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut named: Vec<(String, String)> = Vec::new();
        for line in lines {
            for (member, word) in NAMED {
                for after in line.split(member).skip(1) {
                    let id = after.split('"').next().unwrap_or_default();
                    if !id.is_empty() && named.iter().all(|(known, _)| known != id) {
                        let number = named.len() + 1;
                        named.push((id.to_owned(), format!("{word}-{number}")));
                    }
                }
            }
        }
        Self {
            named,
            ..Self::default()
        }
    }

    /// Replaces every id in a line; equal ids get equal numbers.
    pub(crate) fn apply(&mut self, by: Side, line: &str) -> String {
        let mut numbered = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = find_uuid(rest) {
            let (before, after) = rest.split_at(at);
            let (uuid, after) = after.split_at(UUID.len());
            numbered.push_str(before);
            numbered.push_str(self.replacement(by, uuid));
            rest = after;
        }
        numbered.push_str(rest);
        for (id, replacement) in &self.named {
            numbered = numbered.replace(id, replacement);
        }
        numbered
    }

    fn replacement(&mut self, by: Side, uuid: &str) -> &str {
        let counts = &mut self.counts;
        self.uuids.entry(uuid.to_owned()).or_insert_with(|| {
            let (variant, count) = match by {
                Side::Cli => (8, &mut counts[0]),
                Side::Host => (9, &mut counts[1]),
            };
            *count += 1;
            format!("00000000-0000-4000-{variant}000-{count:012}")
        })
    }
}

const UUID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

fn find_uuid(text: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(UUID.len());
    windows.position(|window| {
        window.iter().zip(UUID.bytes()).all(|(letter, wanted)| {
            if wanted == b'-' {
                *letter == b'-'
            } else {
                letter.is_ascii_hexdigit()
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1";
    const B: &str = "1b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1";

    #[test]
    fn repeated_uuid_gets_the_same_number() {
        let mut numbering = Numbering::default();
        let one = "00000000-0000-4000-8000-000000000001";
        let hosts = "00000000-0000-4000-9000-000000000001";
        assert_eq!(
            numbering.apply(Side::Cli, &format!("é {A}.")),
            format!("é {one}.")
        );
        assert_eq!(
            numbering.apply(Side::Host, &format!("{B}{A}")),
            format!("{hosts}{one}")
        );
        assert_eq!(numbering.apply(Side::Cli, B), hosts);
        assert_eq!(numbering.apply(Side::Cli, "0b7b9a0e-6f36"), "0b7b9a0e-6f36");
    }

    #[test]
    fn ids_are_found_by_member_name_and_replaced_everywhere() {
        let lines = [
            r#"{"task_id":"b12x"}"#,
            r#"{"run_id":"r9","task_id":"b12x"}"#,
        ];
        let mut numbering = Numbering::of(lines.into_iter());
        assert_eq!(
            numbering.apply(Side::Cli, r#"{"a":"b12x.output","b":"r9"}"#),
            r#"{"a":"task-1.output","b":"run-2"}"#
        );
    }
}
