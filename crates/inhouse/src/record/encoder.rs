use std::borrow::Cow;
use std::path::Path;
use std::time::{Instant, SystemTime};

use inhouse_proto::redact::{Redactor, Secrets, is_json_line};
use inhouse_proto::wire::{Line, Lines};
use serde_json::{Value, json};

use super::queue::{Input, InputKind};
use super::{FORMAT_VERSION, Side};
use crate::process::{CUT_MARK, ExitStatus};

/// Turns inputs into the lines of a recording.
pub(super) struct Encoder {
    redactor: Redactor,
    header: String,
    started: Instant,
    /// The time of the last event, in microseconds.
    time: u64,
    /// The maximum length of a line of the CLI.
    max_line: usize,
    /// The lines of each side that are not in one piece: the host, the CLI.
    partial: [Lines; 2],
    /// `{"t":…,"…":`, reused for lines with the same time and member.
    prefix: String,
    prefix_of: Option<(u64, &'static str)>,
}

impl Encoder {
    pub(super) fn new(
        secrets: Option<Secrets>,
        cli: Option<&Path>,
        max_line: usize,
        started: Instant,
    ) -> Self {
        let redacted = secrets.is_some();
        let wall_time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let mut header = format!(
            r#"{{"inhouse_recording":{FORMAT_VERSION},"inhouse":{},"started":{}"#,
            json!(env!("CARGO_PKG_VERSION")),
            json!(wall_time),
        );
        if let Some(cli) = cli {
            let cli = cli.to_string_lossy();
            let cli = match &secrets {
                Some(secrets) => secrets.redact(&cli),
                None => cli,
            };
            header.push_str(&format!(r#","cli":{}"#, json!(cli)));
        }
        header.push_str(&format!(",\"redacted\":{redacted}}}\n"));
        Self {
            redactor: secrets.map_or_else(Redactor::off, Redactor::new),
            header,
            started,
            time: 0,
            max_line,
            partial: [Lines::new(usize::MAX), Lines::new(max_line)],
            prefix: String::new(),
            prefix_of: None,
        }
    }

    pub(super) fn header(&mut self, out: &mut Vec<u8>) {
        let header = std::mem::take(&mut self.header);
        self.redactor.push_plain(&header, out);
    }

    /// Returns the time of the last event, in microseconds.
    pub(super) fn time(&self) -> u64 {
        self.time
    }

    pub(super) fn push(&mut self, input: Input, bytes: &[u8], out: &mut Vec<u8>) {
        let time = input.time.saturating_duration_since(self.started);
        // Lines of stderr come from another task and may overtake others by a moment.
        self.time = self
            .time
            .max(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        match input.kind {
            InputKind::Bytes(side) => self.bytes(side, bytes, out),
            InputKind::Stderr => {
                let line = text_of(bytes);
                match line.strip_suffix(CUT_MARK) {
                    Some(start) => self.cut_text("stderr", start, CUT_MARK, out),
                    None => self.text("stderr", &line, out),
                }
            }
            InputKind::End(Side::Host) => self.plain("end", &json!("host"), out),
            InputKind::End(Side::Cli) => {
                if let Some(line) = self.partial[Side::Cli as usize].finish() {
                    self.line(Side::Cli, line, out);
                }
                self.plain("end", &json!("cli"), out);
            }
            InputKind::Exit(status) => {
                let mut exit = json!({});
                if let Some(code) = status.and_then(ExitStatus::code) {
                    exit["code"] = code.into();
                }
                if let Some(signal) = status.and_then(ExitStatus::signal) {
                    exit["signal"] = signal.into();
                }
                self.plain("exit", &exit, out);
            }
        }
    }

    /// Writes what was held back, at the end of the recording.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.redactor.finish(out);
    }

    /// Writes why the recording ends early.
    pub(super) fn stopped(&mut self, reason: &str, out: &mut Vec<u8>) {
        self.plain("stopped", &json!(reason), out);
    }

    /// Splits bytes of a side into lines.
    fn bytes(&mut self, side: Side, mut bytes: &[u8], out: &mut Vec<u8>) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            bytes = rest;
            let partial = &mut self.partial[side as usize];
            if partial.is_empty() && end <= self.max_line {
                self.whole_line(side, &line[..end], out);
                continue;
            }
            partial.space().extend_from_slice(line);
            if let Some(line) = partial.next_line() {
                self.line(side, line, out);
            }
        }
        if !bytes.is_empty() {
            let partial = &mut self.partial[side as usize];
            partial.space().extend_from_slice(bytes);
            // Discards the bytes of a line that is too long already.
            let _ = partial.next_line();
        }
    }

    fn line(&mut self, side: Side, line: Line, out: &mut Vec<u8>) {
        match line {
            Line::Whole(line) => self.whole_line(side, &line, out),
            Line::TooLong { bytes, sample } => {
                self.cut_text("cli_text", &sample, &format!(" … [{bytes} bytes]"), out);
            }
        }
    }

    fn whole_line(&mut self, side: Side, line: &[u8], out: &mut Vec<u8>) {
        let text = text_of(line);
        if side == Side::Host {
            self.set_prefix("host");
            return self.redactor.push_host(&self.prefix, &text, "}\n", out);
        }
        if !is_json_line(&text) {
            return self.text("cli_text", &text, out);
        }
        self.set_prefix("cli");
        self.redactor
            .push_cli(&self.prefix, text.trim(), "}\n", out);
    }

    fn text(&mut self, name: &'static str, text: &str, out: &mut Vec<u8>) {
        self.set_prefix(name);
        self.redactor.push_text(&self.prefix, text, "}\n", out);
    }

    fn cut_text(&mut self, name: &'static str, text: &str, mark: &str, out: &mut Vec<u8>) {
        self.set_prefix(name);
        self.redactor
            .push_cut_text(&self.prefix, text, mark, "}\n", out);
    }

    fn plain(&mut self, name: &'static str, value: &Value, out: &mut Vec<u8>) {
        self.set_prefix(name);
        self.redactor
            .push_plain(&format!("{}{value}}}\n", self.prefix), out);
    }

    /// Sets the prefix to `{"t":<time>,"<name>":`, without the machinery of `format!`, which took longer than all other
    /// work on a short line.
    fn set_prefix(&mut self, name: &'static str) {
        // The lines of one read, and those of one write, have the same time.
        if self.prefix_of == Some((self.time, name)) {
            return;
        }
        self.prefix_of = Some((self.time, name));
        self.prefix.clear();
        self.prefix.push_str("{\"t\":");
        push_number(&mut self.prefix, self.time);
        self.prefix.push_str(",\"");
        self.prefix.push_str(name);
        self.prefix.push_str("\":");
    }
}

/// Returns a line as text, with invalid UTF-8 replaced.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    // Checks whole words of ASCII, unlike `from_utf8_lossy`.
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

fn push_number(out: &mut String, mut number: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).expect("digits are ASCII"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::queue::Batch;

    /// Returns the lines of a recording of these inputs, of which lines of the CLI may have 1,000 bytes.
    fn encoded<'a>(inputs: impl IntoIterator<Item = (InputKind, &'a [u8])>) -> String {
        let started = Instant::now();
        let mut batch = Batch::default();
        for (kind, bytes) in inputs {
            batch.push(kind, bytes, started);
        }
        let secrets = Secrets::new(["hidden-name".to_owned()]);
        let mut encoder = Encoder::new(Some(secrets), None, 1_000, started);
        let mut out = Vec::new();
        for (input, bytes) in batch.iter() {
            encoder.push(input, bytes, &mut out);
        }
        encoder.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn secret_in_which_a_line_was_cut_is_redacted() {
        let stderr = format!("it is hidden-na{CUT_MARK}");
        // The sample of a line that is too long has 200 bytes.
        let line = format!("{:191}hidden-name{:799}\n", "{", "}");
        let text = encoded([
            (InputKind::Stderr, stderr.as_bytes()),
            (InputKind::Bytes(Side::Cli), line.as_bytes()),
        ]);
        assert!(!text.contains("hidden"), "{text}");
        for expected in ["it is [redacted] … [cut]\"", "[redacted] … [1001 bytes]\""] {
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_reads_and_writes() {
        let stream = format!(
            "{{\"a\":\"é hidden-name\"}}\n\n{{\"b\":1}}\n{:1001}\nnot JSON\n{{\"c\":\"hidden-name\"}}",
            "{"
        );
        for side in [Side::Host, Side::Cli] {
            let parts = |size| stream.as_bytes().chunks(size);
            let recorded = |size| {
                let parts = parts(size).map(|part| (InputKind::Bytes(side), part));
                encoded(parts.chain([(InputKind::End(side), &[][..])]))
            };
            let whole = recorded(stream.len());
            assert!(!whole.contains("hidden"), "{whole}");
            for size in 1..=stream.len() {
                assert_eq!(recorded(size), whole, "in parts of {size} bytes");
            }
        }
    }

    #[test]
    fn path_of_the_cli_is_redacted() {
        let secrets = Secrets::new(["hidden-name".to_owned()]);
        let cli = Path::new("/opt/hidden-name/claude");
        let mut encoder = Encoder::new(Some(secrets), Some(cli), 1024, Instant::now());
        let mut out = Vec::new();
        encoder.header(&mut out);
        let header = String::from_utf8(out).unwrap();
        assert!(
            header.contains(r#""cli":"/opt/[redacted]/claude""#),
            "{header}"
        );
    }
}
