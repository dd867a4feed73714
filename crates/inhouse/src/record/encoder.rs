use std::borrow::Cow;
use std::path::Path;
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use inhouse_proto::redact::{Redactor, Secrets, is_json_line};
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
    /// The start of a line of the host whose rest was not written yet.
    partial: Vec<u8>,
    /// `{"t":…,"…":`, reused for lines with the same time and member.
    prefix: String,
    prefix_of: Option<(u64, &'static str)>,
}

impl Encoder {
    pub(super) fn new(secrets: Option<Secrets>, cli: Option<&Path>, started: Instant) -> Self {
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
            partial: Vec::new(),
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

    pub(super) fn push(&mut self, input: Input, out: &mut Vec<u8>) {
        let time = input.time.saturating_duration_since(self.started);
        // Lines of stderr come from another task and may overtake others by a moment.
        self.time = self
            .time
            .max(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        match input.kind {
            InputKind::Host(bytes) => self.host(&bytes, out),
            InputKind::Cli(line) => self.cli(&line, out),
            InputKind::TooLong { bytes, sample } => {
                self.cut_text("cli_text", &sample, &format!(" … [{bytes} bytes]"), out);
            }
            InputKind::Stderr(line) => match line.strip_suffix(CUT_MARK) {
                Some(start) => self.cut_text("stderr", start, CUT_MARK, out),
                None => self.text("stderr", &line, out),
            },
            InputKind::End(side) => {
                let side = match side {
                    Side::Host => "host",
                    Side::Cli => "cli",
                };
                self.plain("end", &json!(side), out);
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

    /// Splits bytes of the host into lines.
    fn host(&mut self, bytes: &Bytes, out: &mut Vec<u8>) {
        let mut rest = &bytes[..];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if self.partial.is_empty() {
                self.host_line(line, out);
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.host_line(&whole, out);
            }
        }
        self.partial.extend_from_slice(rest);
    }

    fn host_line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        self.set_prefix("host");
        let line = text_of(line);
        self.redactor.push_host(&self.prefix, &line, "}\n", out);
    }

    fn cli(&mut self, line: &Bytes, out: &mut Vec<u8>) {
        let text = text_of(line);
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

    #[test]
    fn secret_in_which_a_line_was_cut_is_redacted() {
        let secrets = Secrets::new(["hidden-name".to_owned()]);
        let mut encoder = Encoder::new(Some(secrets), None, Instant::now());
        let sample = "{\"a\":\"hidden-na".to_owned();
        let mut out = Vec::new();
        for kind in [
            InputKind::Stderr(format!("it is hidden-na{CUT_MARK}")),
            InputKind::TooLong { bytes: 99, sample },
        ] {
            let time = Instant::now();
            encoder.push(Input { time, kind }, &mut out);
        }
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("hidden"), "{text}");
        for expected in ["it is [redacted] … [cut]\"", "[redacted] … [99 bytes]\""] {
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn path_of_the_cli_is_redacted() {
        let secrets = Secrets::new(["hidden-name".to_owned()]);
        let cli = Path::new("/opt/hidden-name/claude");
        let mut encoder = Encoder::new(Some(secrets), Some(cli), Instant::now());
        let mut out = Vec::new();
        encoder.header(&mut out);
        let header = String::from_utf8(out).unwrap();
        assert!(
            header.contains(r#""cli":"/opt/[redacted]/claude""#),
            "{header}"
        );
    }
}
