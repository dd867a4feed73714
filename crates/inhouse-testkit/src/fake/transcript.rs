use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of characters kept of a line.
const SHOWN: usize = 240;

/// The number of entries shown.
const ENTRIES: usize = 60;

/// The lines of both sides, for the texts of failed expectations.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript(Arc<Mutex<Vec<String>>>);

impl Transcript {
    pub(super) fn host(&self, line: &str) {
        self.note("host", line);
    }

    pub(super) fn cli(&self, bytes: &[u8]) {
        let start = &bytes[..bytes.len().min(4 * SHOWN)];
        self.note("cli ", &String::from_utf8_lossy(start));
    }

    pub(super) fn event(&self, text: &str) {
        self.note("  * ", text);
    }

    /// Formats the last entries, one per line.
    pub(super) fn render(&self) -> String {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let omitted = entries.len().saturating_sub(ENTRIES);
        let mut text = String::new();
        if omitted > 0 {
            let _ = writeln!(text, "  … {omitted} earlier lines");
        }
        for entry in &entries[omitted..] {
            let _ = writeln!(text, "  {entry}");
        }
        text
    }

    fn note(&self, side: &str, text: &str) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push(format!("{side}> {}", shorten(text.trim_end())));
    }
}

/// Cuts a long text, and appends its length.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_and_long_transcripts_are_cut() {
        let transcript = Transcript::default();
        for _ in 0..ENTRIES {
            transcript.host("first");
        }
        transcript.cli(&vec![b'x'; 100_000]);
        let text = transcript.render();
        assert!(text.starts_with("  … 1 earlier lines\n"), "{text}");
        assert!(text.len() < ENTRIES * 20 + 2 * SHOWN, "{}", text.len());
    }
}
