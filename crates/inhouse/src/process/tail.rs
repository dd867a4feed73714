use super::redact;

/// How many bytes of stderr are kept.
pub(super) const TAIL_LIMIT: usize = 16 * 1024;

/// The last lines of a stream, with secrets redacted.
#[derive(Default)]
pub(super) struct Tail {
    /// Complete lines, up to twice the limit.
    text: String,
    /// The beginning of the current line.
    unfinished: String,
}

impl Tail {
    /// Adds a line, given without its line break.
    pub(super) fn push(&mut self, line: &str) {
        self.unfinished.clear();
        self.text.push_str(&redact(line));
        self.text.push('\n');
        // Cut at twice the limit, so that the text is not moved for every line.
        if self.text.len() > 2 * TAIL_LIMIT {
            self.text.drain(..cut(&self.text));
        }
    }

    /// Sets the beginning of a line whose end was not read yet.
    pub(super) fn set_unfinished(&mut self, start: &str) {
        self.unfinished.clear();
        self.unfinished.push_str(&redact(start));
    }

    /// Returns the text, without the last line break.
    pub(super) fn text(&self) -> String {
        let mut text = self.text.clone();
        text.push_str(&self.unfinished);
        text.drain(..cut(&text));
        text.truncate(text.trim_end().len());
        text
    }
}

/// Returns where to cut `text` so that at most [`TAIL_LIMIT`] bytes remain: after a line, or inside
/// the last line if that is longer.
fn cut(text: &str) -> usize {
    if text.len() <= TAIL_LIMIT {
        return 0;
    }
    let mut first_kept = text.len() - TAIL_LIMIT;
    // The search includes the byte before, to keep a line that begins exactly at `first_kept`.
    let mut searched = text.as_bytes()[first_kept - 1..].iter();
    if let Some(skipped) = searched.position(|&byte| byte == b'\n')
        && first_kept + skipped < text.len()
    {
        return first_kept + skipped;
    }
    while !text.is_char_boundary(first_kept) {
        first_kept += 1;
    }
    first_kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_whole_lines() {
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.push(&format!("line {number}"));
            assert!(tail.text.len() <= 2 * TAIL_LIMIT + 16);
        }
        let text = tail.text();
        assert!(text.len() <= TAIL_LIMIT && text.len() > TAIL_LIMIT - 16);
        let mut lines = text.lines();
        let first: usize = lines.next().unwrap()["line ".len()..].parse().unwrap();
        assert_eq!(text.lines().count(), 10_000 - first);
        assert_eq!(text.lines().last(), Some("line 9999"));
    }

    #[test]
    fn keeps_a_text_of_16_kib_whole() {
        let mut tail = Tail::default();
        // With its line break the line has 16 KiB.
        let line = "x".repeat(16 * 1024 - 1);
        tail.push(&line);
        assert_eq!(tail.text(), line);
    }

    #[test]
    fn cuts_a_line_that_is_too_long_between_characters() {
        let mut tail = Tail::default();
        tail.push(&"ä".repeat(TAIL_LIMIT));
        let text = tail.text();
        assert!(text.chars().all(|character| character == 'ä'));
        assert!(text.len() <= TAIL_LIMIT && text.len() > TAIL_LIMIT - 4);
    }

    #[test]
    fn shows_an_unfinished_line_until_it_is_finished() {
        let mut tail = Tail::default();
        tail.push("one");
        tail.set_unfinished("password: hunter2-and-more");
        assert_eq!(tail.text(), "one\npassword: ***");
        tail.push("two");
        assert_eq!(tail.text(), "one\ntwo");
    }
}
