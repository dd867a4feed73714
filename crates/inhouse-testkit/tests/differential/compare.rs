//! Compares the lines of two conversations.

use std::collections::BTreeSet;
use std::fmt;

use inhouse_testkit::recording::{Side, Tape};
use inhouse_testkit::{ModelRequest, Run};
use regex::Regex;
use serde_json::{Value, json};

/// A place in which the fake CLI differs from the real one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    /// The kind of the line, such as `system/init`.
    line: String,
    /// The member, such as `message.usage`; `whole line` if one side does not have the line.
    member: String,
    fake: String,
    real: String,
}

impl Difference {
    pub(crate) fn key(&self) -> String {
        format!("{} | {}", self.line, self.member)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fake {} real {}",
            shorten(&self.fake),
            shorten(&self.real)
        )
    }
}

/// The known differences, from the rows of a Markdown table.
pub(crate) struct Listed(Vec<(String, String, bool)>);

impl Listed {
    pub(crate) fn parse(table: &str) -> Self {
        let rows = table.lines().filter(|line| line.starts_with("| `"));
        let rows = rows.filter_map(|row| {
            let mut cells = row.trim_matches('|').split('|');
            Some((cells.next()?, cells.next()?))
        });
        let text = |cell: &str| cell.trim().trim_matches('`').to_owned();
        let rows = rows.flat_map(|(line, members)| {
            let members = members.split(',');
            members.map(move |member| (text(line), text(member), false))
        });
        Self(rows.collect())
    }

    /// Returns whether a row names the difference, or an object that contains it.
    pub(crate) fn has(&mut self, difference: &Difference) -> bool {
        let mut found = false;
        for (line, member, used) in &mut self.0 {
            let rest = difference.member.strip_prefix(member.as_str());
            let inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
            if *line == difference.line && inside {
                *used = true;
                found = true;
            }
        }
        found
    }

    pub(crate) fn unused(&self) -> impl Iterator<Item = String> {
        let unused = self.0.iter().filter(|(_, _, used)| !used);
        unused.map(|(line, member, _)| format!("{line} | {member}"))
    }
}

/// Returns what differs between the lines of the fake and of the real CLI, between those of their hosts, and between what
/// their models were sent.
pub(crate) fn differences(fake: &Run, real: &Run) -> Vec<Difference> {
    let mut found = between_tapes(fake.tape(), real.tape());
    let [fake, real] =
        [fake, real].map(|run| run.model_requests().iter().map(sent).collect::<Vec<_>>());
    compare_lines(&fake, &real, &mut found);
    found
}

fn between_tapes(fake: &Tape, real: &Tape) -> Vec<Difference> {
    let mut found = Vec::new();
    for side in [Side::Host, Side::Cli] {
        for stream in [
            Stream::Messages,
            Stream::Requests,
            Stream::Answers,
            Stream::States,
        ] {
            let [fake, real] = [fake, real].map(|tape| lines(tape, side, stream));
            compare_lines(&fake, &real, &mut found);
        }
    }
    found
}

/// Members of a request to the model that are compared only in part.
const PARTS: [&str; 3] = ["system", "tools", "messages"];

/// Returns what a request sends to the model, without the instructions of the CLI: nothing of [`PARTS`] but the last text of the user
/// and the results of tools.
fn sent(request: &ModelRequest) -> Line {
    let results = request.tool_results();
    let results = results
        .iter()
        .map(|result| json!({"text": result.text, "is_error": result.is_error}));
    let mut sent = json!({
        "model": request.model(),
        "last_user_text": request.last_user_text(),
        "tool_results": results.collect::<Vec<_>>(),
    });
    Normal::new().apply(&mut sent);
    ("model request".to_owned(), sent)
}

/// Lines whose order is fixed: tools run while a message is streamed, so requests and messages overtake each other.
#[derive(Clone, Copy, PartialEq)]
enum Stream {
    Messages,
    Requests,
    Answers,
    States,
}

impl Stream {
    fn of(line: &Value) -> Self {
        match line["type"].as_str() {
            Some("control_request" | "control_cancel_request") => Self::Requests,
            // The state changes with requests, and not with messages.
            Some("system") if line["subtype"] == "session_state_changed" => Self::States,
            Some("control_response") => Self::Answers,
            _ => Self::Messages,
        }
    }
}

fn lines(tape: &Tape, side: Side, stream: Stream) -> Vec<Line> {
    let normal = Normal::new();
    let lines = tape
        .lines(side)
        .filter_map(|line| serde_json::from_str(line).ok());
    lines
        .filter(|line: &Value| Stream::of(line) == stream)
        .map(|mut line| {
            normal.apply(&mut line);
            (kind(side, &line), line)
        })
        .collect()
}

/// Returns the type of a line with its subtype.
fn kind(side: Side, line: &Value) -> String {
    let part = match line["type"].as_str() {
        Some("control_response") if line["response"]["response"]["commands"].is_array() => {
            return "control_response to initialize".to_owned();
        }
        Some("control_request") => &line["request"]["subtype"],
        Some("stream_event") => &line["event"]["type"],
        Some("system") => &line["subtype"],
        _ => &Value::Null,
    };
    let mut kind = line["type"].as_str().unwrap_or_default().to_owned();
    if let Some(part) = part.as_str() {
        kind = format!("{kind}/{part}");
    }
    match side {
        Side::Host => format!("host {kind}"),
        Side::Cli => kind,
    }
}

fn compare_lines(fake: &[Line], real: &[Line], found: &mut Vec<Difference>) {
    for pair in align(fake, real) {
        let (line, whole) = match pair {
            (Some(fake), Some(real)) => {
                compare(&fake.0, "", &fake.1, &real.1, found);
                continue;
            }
            (Some(fake), None) => (&fake.0, (fake.1.to_string(), "none".to_owned())),
            (None, Some(real)) => (&real.0, ("none".to_owned(), real.1.to_string())),
            (None, None) => continue,
        };
        found.push(Difference {
            line: line.clone(),
            member: "whole line".to_owned(),
            fake: whole.0,
            real: whole.1,
        });
    }
}

type Line = (String, Value);

/// Pairs lines of the same kind along the longest common sequence of kinds.
fn align<'a>(fake: &'a [Line], real: &'a [Line]) -> Vec<(Option<&'a Line>, Option<&'a Line>)> {
    let mut lengths = vec![vec![0_usize; real.len() + 1]; fake.len() + 1];
    for i in (0..fake.len()).rev() {
        for j in (0..real.len()).rev() {
            lengths[i][j] = if fake[i].0 == real[j].0 {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < fake.len() || j < real.len() {
        if i < fake.len() && j < real.len() && fake[i].0 == real[j].0 {
            pairs.push((Some(&fake[i]), Some(&real[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == real.len() || (i < fake.len() && lengths[i + 1][j] >= lengths[i][j + 1]) {
            pairs.push((Some(&fake[i]), None));
            i += 1;
        } else {
            pairs.push((None, Some(&real[j])));
            j += 1;
        }
    }
    pairs
}

fn compare(line: &str, path: &str, fake: &Value, real: &Value, found: &mut Vec<Difference>) {
    match (fake, real) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let path = match path {
                    "" => name.clone(),
                    _ => format!("{path}.{name}"),
                };
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => compare(line, &path, a, b, found),
                    _ if name.starts_with(FIRST_REQUEST) => {}
                    (a, b) => found.push(Difference {
                        line: line.to_owned(),
                        member: path,
                        fake: a.map_or_else(|| "none".to_owned(), Value::to_string),
                        real: b.map_or_else(|| "none".to_owned(), Value::to_string),
                    }),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b) {
                compare(line, &format!("{path}[]"), a, b, found);
            }
        }
        _ if fake == real => {}
        _ => found.push(Difference {
            line: line.to_owned(),
            member: path.to_owned(),
            fake: fake.to_string(),
            real: real.to_string(),
        }),
    }
}

/// Replaces what differs between any two runs: ids, times, costs and paths.
///
/// Each of its rules is listed in `src/scenario/not_compared.md`.
struct Normal {
    /// What a text replaces, and the text.
    texts: [(Regex, &'static str); 5],
}

/// The rules of texts: their names in the table, what they match and its replacement.
const TEXTS: [(&str, &str, &str); 5] = [
    (
        "UUID",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "ID",
    ),
    ("msg_scripted_…", "msg_scripted_[0-9]+", "ID"),
    ("127.0.0.1:…", r"127\.0\.0\.1:[0-9]+", "HOST"),
    (
        "<total_tokens>",
        "\n\n<system-reminder>\n<total_tokens>[^<]*</total_tokens>\n</system-reminder>",
        "",
    ),
    ("/…/inhouse-…", r#"/[^ ":,]*/inhouse-[^ ":,/]*"#, "/PATH"),
];

/// Members whose values are replaced.
const MEMBERS: [&str; 6] = [
    "timestamp",
    "total_cost_usd",
    "costUSD",
    "cwd",
    "transcript_path",
    "request_id",
];

/// The end of the names of other members whose values are replaced.
const TIME: &str = "_ms";

/// The start of the names of members that are compared only if both sides have them, because the real CLI leaves them out at times.
const FIRST_REQUEST: &str = "first_request_";

/// The starts of advice to the model that the fake CLI does not imitate.
const ADVICE: [&str; 2] = [" IMPORTANT: You *may*", " Correction to the text above"];

impl Normal {
    fn new() -> Self {
        Self {
            texts: TEXTS.map(|(_, text, replacement)| (Regex::new(text).unwrap(), replacement)),
        }
    }

    fn apply(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if MEMBERS.contains(&name.as_str()) || name.ends_with(TIME) {
                        *member = format!("a {name}").into();
                    }
                    self.apply(member);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.apply(value)),
            Value::String(text) => {
                for (rule, replacement) in &self.texts {
                    *text = rule.replace_all(text, *replacement).into_owned();
                }
                let advice = ADVICE.iter().filter_map(|start| text.find(start)).min();
                text.truncate(advice.unwrap_or(text.len()));
            }
            _ => {}
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use inhouse_testkit::recording::TapeStep;

    use super::*;

    fn tape(lines: impl IntoIterator<Item = Value>) -> Tape {
        let steps = lines.into_iter().map(|line| TapeStep::Line {
            by: Side::Cli,
            line: line.to_string(),
        });
        steps.collect()
    }

    fn text(text: &str, uuid: &str) -> Value {
        json!({"type": "assistant", "message": {"content": [{"text": text}]}, "uuid": uuid, "ttft_ms": uuid.len()})
    }

    const ONE: &str = "00000000-0000-4000-8000-000000000001";
    const TWO: &str = "00000000-0000-4000-8000-00000000000a";

    #[test]
    fn ids_and_times_do_not_differ() {
        let found = between_tapes(&tape([text("a", ONE)]), &tape([text("a", TWO)]));
        assert_eq!(found, []);
    }

    #[test]
    fn everything_that_is_not_compared_is_listed() {
        let table = include_str!("../../src/scenario/not_compared.md");
        let rows = table.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|row| row.trim_matches('|').split('|').next());
        let listed: BTreeSet<_> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(str::to_owned)
            .collect();
        let rules = MEMBERS.into_iter().chain(ADVICE).chain(PARTS);
        let rules = rules.chain(TEXTS.map(|(name, _, _)| name));
        let mut rules: BTreeSet<_> = rules.map(str::to_owned).collect();
        rules.insert(format!("…{TIME}"));
        rules.insert(format!("{FIRST_REQUEST}…"));
        // The streams of `Stream`, whose order among each other is not compared.
        rules.insert("order".to_owned());
        assert_eq!(listed, rules);
    }

    #[test]
    fn planted_difference_of_a_member_is_found() {
        let found = between_tapes(&tape([text("a", ONE)]), &tape([text("b", TWO)]));
        let keys: Vec<_> = found.iter().map(Difference::key).collect();
        assert_eq!(keys, ["assistant | message.content[].text"]);
    }

    #[test]
    fn planted_lines_of_one_side_are_found() {
        let extra = json!({"type": "system", "subtype": "status"});
        let fake = tape([text("a", ONE), text("b", ONE)]);
        let real = tape([text("a", TWO), extra, text("b", TWO)]);
        let found = between_tapes(&fake, &real);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].key(), "system/status | whole line");
    }

    #[test]
    fn row_lists_a_member_and_what_is_inside() {
        let mut listed = Listed::parse(
            "| line | member | reason |\n|---|---|---|\n| `assistant` | `message.content` | … |\n| `result` | `usage` | … |\n",
        );
        let found = between_tapes(&tape([text("a", ONE)]), &tape([text("b", TWO)]));
        assert!(found.iter().all(|difference| listed.has(difference)));
        assert_eq!(listed.unused().collect::<Vec<_>>(), ["result | usage"]);
        assert!(!Listed::parse("").has(&found[0]));
    }
}
