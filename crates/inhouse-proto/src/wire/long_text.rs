use super::escape::{escaped_size, write_escaped};

/// How much of a text makes a portion.
const PLAIN_PORTION: usize = LongText::PORTION - 8 * 1024;

/// A text that becomes a JSON string on its way out, portion by portion.
///
/// All of it at once would be a second text of that length, made long before most of it can go. A
/// portion may end inside a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongText {
    text: String,
    written: usize,
}

impl LongText {
    /// From how many bytes on that pays.
    pub(crate) const LENGTH: usize = 32 * 1024;

    /// More than what most portions come to: what a pipe holds.
    pub(crate) const PORTION: usize = 64 * 1024;

    pub(crate) fn new(text: String) -> Self {
        Self { text, written: 0 }
    }

    /// How many bytes the whole string takes.
    pub(crate) fn size(&self) -> usize {
        escaped_size(self.text.as_bytes()) + "\"\"".len()
    }

    /// Appends what comes next of the string, with its quotation marks; true when that is the end.
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
    fn portions_are_the_string() {
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
    fn a_portion_is_what_a_pipe_holds() {
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
