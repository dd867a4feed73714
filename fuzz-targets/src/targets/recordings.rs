use inhouse::record::{RecordedEvent, Recording};
use inhouse_testkit::recording::{Side, Tape, TapeStep};

use super::is_json;

/// Separates the three files of a recording in one input.
pub(crate) const SEPARATOR: &str = "\u{0}";

/// Parses a recording of a session, and a fixture: lines of the CLI, lines of the host and their order, separated by NUL.
///
/// The lines of a recording are JSON, and its first half has the events of its beginning. The steps of a fixture have
/// exactly the lines of its files.
pub fn recordings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    session(text);
    fixture(text);
}

fn session(text: &str) {
    let Ok(recording) = Recording::parse(text) else {
        return;
    };
    let entries = recording.entries();
    for entry in entries {
        if let RecordedEvent::Host(line) | RecordedEvent::Cli(line) = &entry.event {
            assert!(is_json(line), "not JSON: {line}");
        }
    }
    assert!(entries.is_sorted_by_key(|entry| entry.line));
    let half = text.floor_char_boundary(text.len() / 2);
    if let Ok(beginning) = Recording::parse(&text[..half]) {
        assert!(entries.starts_with(beginning.entries()), "{beginning:?}");
    }
}

fn fixture(text: &str) {
    let mut files = text.splitn(3, SEPARATOR);
    let mut next = || files.next().unwrap_or_default();
    let (out, input, order) = (next(), next(), next());
    let Ok(tape) = Tape::parse(out, input, order) else {
        return;
    };
    for (side, file) in [(Side::Cli, out), (Side::Host, input)] {
        let lines: String = tape.lines(side).map(|line| format!("{line}\n")).collect();
        assert_eq!(lines.trim_end_matches('\n'), file.trim_end_matches('\n'));
    }
    let words: String = tape.steps().iter().map(|step| word(step) + "\n").collect();
    assert_eq!(words.trim_end(), order.trim_end());
    let same = tape.clone().map_lines(|_, line| line.to_owned());
    assert_eq!(same, tape);
}

fn word(step: &TapeStep) -> String {
    let (side, end) = match step {
        TapeStep::Line { by, .. } => (by, ""),
        TapeStep::End(by) => (by, " end"),
    };
    let name = match side {
        Side::Host => "in",
        Side::Cli => "out",
    };
    format!("{name}{end}")
}
