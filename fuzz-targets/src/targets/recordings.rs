use inhouse_testkit::recording::{Side, Step, Tape};

/// Separates the three files of a recording in one input.
pub(crate) const SEPARATOR: &str = "\u{0}";

/// Parses a recording: lines of the CLI, lines of the host and their order, separated by NUL.
///
/// The steps of a recording have exactly the lines of its files.
pub fn recordings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
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

fn word(step: &Step) -> String {
    let (side, end) = match step {
        Step::Line { by, .. } => (by, ""),
        Step::End(by) => (by, " end"),
    };
    let name = match side {
        Side::Host => "in",
        Side::Cli => "out",
    };
    format!("{name}{end}")
}
