use super::escape::{escaped_size, write_escaped};

/// Number of bytes of the text in one portion. The rest of [`LongText::PORTION`] is for escapes.
const PLAIN_PORTION: usize = LongText::PORTION - 8 * 1024;

/// A text that is escaped as a JSON string in portions, while it is sent.
///
/// Escaping it at once would allocate a second text of that length, long before the pipe accepts most of it. A portion
/// may end inside a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongText {
    text: String,
    written: usize,
}

impl LongText {
    /// Length in bytes from which a text is escaped in portions.
    pub(crate) const LENGTH: usize = 32 * 1024;

    /// Target size of an escaped portion in bytes: the capacity of a pipe. A text with many escapes exceeds it.
    pub(crate) const PORTION: usize = 64 * 1024;

    pub(crate) fn new(text: String) -> Self {
        Self { text, written: 0 }
    }

    /// Returns the size of the JSON string in bytes.
    pub(crate) fn size(&self) -> usize {
        escaped_size(self.text.as_bytes()) + "\"\"".len()
    }

    /// Appends the next portion of the JSON string; returns true if it was the last one.
    pub(crate) fn write_portion(&mut self, json: &mut Vec<u8>) -> bool {
        if self.written == 0 {
            json.push(b'"');
        }
        let rest = &self.text.as_bytes()[self.written..];
        let portion = &rest[..rest.len().min(PLAIN_PORTION)];
        write_escaped(json, portion);
        self.written += portion.len();
        let is_all = portion.len() == rest.len();
        if is_all {
            json.push(b'"');
        }
        is_all
    }

    /// Appends the whole string.
    pub(crate) fn write_all(&self, json: &mut Vec<u8>) {
        let mut all = self.clone();
        while !all.write_portion(json) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_concatenate_to_the_json_string() {
        for text in ["", "a", "\"\n", "a😀é\u{1}\""] {
            for count in [1, PLAIN_PORTION / 3, PLAIN_PORTION] {
                let text = text.repeat(count);
                let mut json = Vec::new();
                LongText::new(text.clone()).write_all(&mut json);
                assert_eq!(json, serde_json::to_vec(&text).expect("a string"));
                assert_eq!(json.len(), LongText::new(text).size());
            }
        }
    }

    #[test]
    fn portion_fits_into_a_pipe() {
        let mut text = LongText::new("a line of text\n".repeat(100_000));
        let mut is_all = false;
        while !is_all {
            let mut json = Vec::new();
            is_all = text.write_portion(&mut json);
            let expected = LongText::PORTION / 2..LongText::PORTION;
            assert!(is_all || expected.contains(&json.len()), "{}", json.len());
        }
    }
}
