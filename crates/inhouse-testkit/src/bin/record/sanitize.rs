//! Replaces machine-specific, time-dependent and random values in a recording.
//!
//! Works on the text of the lines instead of their JSON, so that everything else stays as the CLI wrote it: the order of
//! members, escapes, the notation of numbers.

use std::path::Path;

use inhouse_testkit::recording::{Side, Tape, TapeStep};
use serde_json::Value;

use crate::numbering::Numbering;

/// Texts that precede a time-dependent or machine-specific number.
const BEFORE_TIMES: &[&str] = &[
    "duration_ms: ",
    "duration (API):  ",
    "duration (wall): ",
    "/work/tmp/cc-socks/",
    "/work/tmp/claude-",
];

/// Machine-specific values and their replacements.
pub(crate) struct Replacements {
    values: Vec<(String, String)>,
}

impl Replacements {
    pub(crate) fn new<'a>(
        directories: impl IntoIterator<Item = (&'a Path, &'a str)>,
        base_url: &str,
    ) -> Self {
        let mut values = vec![(base_url.to_owned(), "http://127.0.0.1:1".to_owned())];
        for (path, replacement) in directories {
            let path = path.display().to_string();
            // The CLI derives directory names from paths.
            values.push((dashed(&path), dashed(replacement)));
            values.push((path, replacement.to_owned()));
        }
        Self { values }
    }
}

/// Replaces everything that differs between runs and machines.
///
/// The error names what could not be replaced.
pub(crate) fn sanitize(tape: Tape, replacements: &Replacements) -> Result<Tape, String> {
    let mut numbering = Numbering::of(tape.lines(Side::Cli));
    let tape = tape.map_lines(|by, line| {
        let mut line = line.to_owned();
        for (secret, replacement) in &replacements.values {
            line = line.replace(secret, replacement);
        }
        line = numbering.apply(by, &line);
        line = fix_members(&line);
        for marker in BEFORE_TIMES {
            line = fix_after(marker, &line);
        }
        fix_times(&line)
    });
    for step in tape.steps() {
        check(step)?;
    }
    Ok(tape)
}

fn check(step: &TapeStep) -> Result<(), String> {
    let TapeStep::Line { line, .. } = step else {
        return Ok(());
    };
    let temporary = std::env::temp_dir().display().to_string();
    if let Some(at) = line.find(&format!("{temporary}/inhouse-")) {
        let end = line.len().min(at + 80);
        return Err(format!("a temporary path remains: {}", &line[at..end]));
    }
    if serde_json::from_str::<Value>(line).is_err() {
        return Err(format!("no longer JSON: {line}"));
    }
    Ok(())
}

fn dashed(path: &str) -> String {
    path.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}

/// Replaces the number of every member that is a time or a duration.
fn fix_members(line: &str) -> String {
    let mut fixed = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(colon) = rest.find("\":") {
        let (before, after) = rest.split_at(colon + 2);
        let name = before[..colon].rsplit('"').next().unwrap_or_default();
        let number = digits(after);
        fixed.push_str(before);
        if number > 0 && is_time(name) {
            fixed.push('1');
            rest = &after[number..];
        } else {
            rest = after;
        }
    }
    fixed.push_str(rest);
    fixed
}

fn is_time(name: &str) -> bool {
    let is_duration = name.ends_with("_ms") || name.ends_with("Ms") || name.contains("duration");
    (is_duration && !name.contains("imeout"))
        || [
            "pid",
            "mtime",
            "start_time",
            "end_time",
            "elapsed_time_seconds",
        ]
        .contains(&name)
}

/// Replaces every number after the marker.
fn fix_after(marker: &str, line: &str) -> String {
    let mut parts = line.split(marker);
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = digits(part);
        fixed.push_str(marker);
        fixed.push_str(if number > 0 { "1" } else { "" });
        fixed.push_str(&part[number..]);
    }
    fixed
}

/// Returns the length of the number at the start of a text.
fn digits(text: &str) -> usize {
    let run = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    // A trailing dot, as in `17.sock`, is not part of the number.
    text[..run].trim_end_matches('.').len()
}

/// Replaces every time of the form `2026-01-31T12:34:56.789Z`.
fn fix_times(line: &str) -> String {
    const PATTERN: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";
    const FIXED: &str = "2026-01-01T00:00:00.000Z";
    let mut fixed = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(t) = rest.find('T') {
        let start = t.wrapping_sub(10);
        let matches = rest
            .as_bytes()
            .get(start..start.wrapping_add(PATTERN.len()))
            .is_some_and(|text| fits(text, PATTERN));
        if matches {
            fixed.push_str(&rest[..start]);
            fixed.push_str(FIXED);
            rest = &rest[start + PATTERN.len()..];
        } else {
            fixed.push_str(&rest[..=t]);
            rest = &rest[t + 1..];
        }
    }
    fixed.push_str(rest);
    fixed
}

fn fits(text: &[u8], pattern: &[u8]) -> bool {
    text.iter().zip(pattern).all(|(byte, wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        _ => byte == wanted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sanitized(line: &str) -> String {
        let line = line.to_owned();
        let by = Side::Cli;
        let tape = Tape::from_iter([TapeStep::Line { by, line }]);
        let directories = [(Path::new("/srv/a.b/project"), "/work/project")];
        let replacements = Replacements::new(directories, "http://127.0.0.1:4321");
        let tape = sanitize(tape, &replacements).unwrap();
        tape.lines(by).collect()
    }

    #[test]
    fn paths_and_ports_are_replaced() {
        assert_eq!(
            sanitized(
                r#"["/srv/a.b/project/x","/c/-srv-a-b-project/y","http://127.0.0.1:4321/v1"]"#
            ),
            r#"["/work/project/x","/c/-work-project/y","http://127.0.0.1:1/v1"]"#
        );
    }

    #[test]
    fn times_and_durations_are_fixed_and_other_numbers_kept() {
        assert_eq!(
            sanitized(
                r#"{"duration_ms":1234,"pid":7,"num_turns":2,"ttft_ms":null,"x":"\"pid\": 3"}"#
            ),
            r#"{"duration_ms":1,"pid":1,"num_turns":2,"ttft_ms":null,"x":"\"pid\": 3"}"#
        );
        assert_eq!(
            sanitized(r#"{"timeout_ms":5,"a":"duration_ms: 17.5.","b":"duration_ms: none"}"#),
            r#"{"timeout_ms":5,"a":"duration_ms: 1.","b":"duration_ms: none"}"#
        );
        assert_eq!(
            sanitized(r#"["2031-07-08T09:10:11.123Z","The T of 2031-07-08T09"]"#),
            r#"["2026-01-01T00:00:00.000Z","The T of 2031-07-08T09"]"#
        );
    }

    #[test]
    fn remaining_temporary_path_is_an_error() {
        let line = format!("[\"{}/inhouse-abc\"]", std::env::temp_dir().display());
        let by = Side::Cli;
        let tape = Tape::from_iter([TapeStep::Line { by, line }]);
        let replacements = Replacements::new([], "http://127.0.0.1:1");
        assert!(sanitize(tape, &replacements).is_err());
    }
}
