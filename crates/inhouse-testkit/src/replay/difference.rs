use std::{fmt, time::Duration};

use serde_json::Value;

/// A difference between a line of the host and the recorded one.
///
/// `Display` shows it as a diff, with its place in the recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of the recorded line in the file; `None` if the recording has no such line.
    pub line: Option<usize>,
    /// The time of the recorded line, since the session began.
    pub time: Duration,
    /// The line of the host in words, such as "the result of the tool `add` of the server `calc`".
    pub what: String,
    /// The arguments of the tool, if `what` is a result.
    pub arguments: Option<Value>,
    /// The values that differ.
    pub changes: Vec<Change>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The path of the value in the line, such as `result.content[0].text`.
    pub path: String,
    /// The recorded value; `None` if there was none.
    pub recorded: Option<Value>,
    /// The current value; `None` if there is none.
    pub now: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(
                f,
                "line {line} of the recording ({:.3} s) differs: {}",
                self.time.as_secs_f64(),
                self.what
            )?,
            None => write!(f, "not in the recording: {}", self.what)?,
        }
        if let Some(arguments) = &self.arguments {
            write!(f, "\n  called with {arguments}")?;
        }
        for change in &self.changes {
            write!(f, "\n  at {}:", change.path)?;
            for (sign, name, value) in [
                ('-', "recorded", &change.recorded),
                ('+', "now", &change.now),
            ] {
                match value {
                    Some(value) => write!(f, "\n    {sign} {name:<8}  {value}")?,
                    None => write!(f, "\n    {sign} {name:<8}  (nothing)")?,
                }
            }
        }
        Ok(())
    }
}

/// Returns the differences between a recorded value and the current one.
pub(super) fn compare(recorded: &Value, now: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare_at(String::new(), Some(recorded), Some(now), &mut changes);
    changes
}

fn compare_at(
    path: String,
    recorded: Option<&Value>,
    now: Option<&Value>,
    changes: &mut Vec<Change>,
) {
    match (recorded, now) {
        (Some(Value::Object(recorded)), Some(Value::Object(now))) => {
            let added = now.keys().filter(|name| !recorded.contains_key(*name));
            for name in recorded.keys().chain(added) {
                let path = match path.as_str() {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                compare_at(path, recorded.get(name), now.get(name), changes);
            }
        }
        (Some(Value::Array(recorded)), Some(Value::Array(now))) => {
            for at in 0..recorded.len().max(now.len()) {
                let path = format!("{path}[{at}]");
                compare_at(path, recorded.get(at), now.get(at), changes);
            }
        }
        (recorded, now) if recorded == now => {}
        (recorded, now) => changes.push(Change {
            path,
            recorded: recorded.cloned(),
            now: now.cloned(),
        }),
    }
}

/// The text that replaces a secret in a recording.
pub(super) const REDACTED: &str = "[redacted]";

/// Returns whether a text of the recording has a redacted part.
pub(super) fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(REDACTED),
        Value::Array(values) => values.iter().any(is_redacted),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains(REDACTED) || is_redacted(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_have_their_paths() {
        let recorded = json!({ "a": [1, { "b": "x" }], "gone": true });
        let now = json!({ "a": [1, { "b": "y" }, 3], "new": null });
        let changes = compare(&recorded, &now);
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["a[1].b", "a[2]", "gone", "new"]);
        assert_eq!(compare(&recorded, &recorded), []);
    }

    #[test]
    fn redacted_texts_are_found_at_any_depth() {
        assert!(is_redacted(&json!({ "a": [{ "b": "x [redacted]" }] })));
        assert!(is_redacted(&json!({ "[redacted]": 1 })));
        assert!(!is_redacted(&json!({ "a": ["redacted"] })));
    }
}
