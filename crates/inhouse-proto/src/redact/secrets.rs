use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;

use super::filter::{CleanText, Filter};
use super::{REPLACEMENT, escapes, pattern, private_key};

/// The secrets of a session: known values, and everything that [looks like one](super).
#[derive(Clone)]
pub struct Secrets {
    values: Vec<Finder<'static>>,
    filter: Filter,
}

/// Lines of a known value that are shorter are not searched on their own.
const MIN_LINE: usize = 16;

/// Continues a word so that it is long enough for a secret, and has a digit; and a URL, so that what may be a password is one.
const CONTINUATION: &str = "00000000000000000000@0";

impl Secrets {
    /// Creates the secrets of a session with these known values. Empty values are ignored, and so are blanks around a value: one that
    /// is read from a file ends with a newline.
    ///
    /// ```
    /// use inhouse_proto::redact::Secrets;
    ///
    /// let secrets = Secrets::new(["hunter2".to_owned()]);
    /// assert_eq!(secrets.redact("it is hunter2."), "it is [redacted].");
    /// ```
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for value in values {
            let value = value.trim();
            // Each line of a key is a secret: programs print lines with numbers, or one by one.
            let lines = value.lines().map(str::trim);
            let lines = lines.filter(|line| line.len() >= MIN_LINE && *line != value);
            texts.extend(lines.map(str::to_owned));
            texts.push(value.to_owned());
        }
        texts.retain(|text| !text.is_empty());
        texts.sort();
        texts.dedup();
        let known = texts.iter().map(String::as_bytes);
        let filter = Filter::new(known, pattern::needles());
        let values = texts.iter().map(|text| Finder::new(text).into_owned());
        Self {
            values: values.collect(),
            filter,
        }
    }

    /// Replaces the secrets in a text.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.may_be_in(text) {
            true => pattern::replace(text, &self.find(text), REPLACEMENT),
            false => Cow::Borrowed(text),
        }
    }

    /// Replaces the secrets in a line of JSON, as those of a host are in a recording.
    ///
    /// ```
    /// use inhouse_proto::redact::Secrets;
    ///
    /// let secrets = Secrets::new(["hunter2".to_owned()]);
    /// let line = r#"{"token":"abcd","text":"it is hunter2"}"#;
    /// let redacted = r#"{"token":"[redacted]","text":"it is [redacted]"}"#;
    /// assert_eq!(secrets.redact_line(line), redacted);
    /// ```
    #[must_use]
    pub fn redact_line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        self.redact_json(line)
            .map_or(Cow::Borrowed(line), Cow::Owned)
    }

    /// Replaces the secrets in the start of a text whose rest is not known, also one that the cut has split.
    ///
    /// ```
    /// use inhouse_proto::redact::Secrets;
    ///
    /// let secrets = Secrets::new(["correct horse".to_owned()]);
    /// assert_eq!(secrets.redact_cut("it is correct ho"), "it is [redacted]");
    /// assert_eq!(secrets.redact_cut("token=abc"), "token=[redacted]");
    /// ```
    #[must_use]
    pub fn redact_cut(&self, text: &str) -> String {
        // The cut may have split a character, which is replaced then, or an escape.
        let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        let text = &text[..escapes::for_each_view(text, |_, _| {})];
        let mut known = text.len();
        escapes::for_each_view(text, |view, original| {
            let lengths = self
                .values
                .iter()
                .map(|value| partial(view, value.needle()));
            known = known.min(original(view.len() - lengths.max().unwrap_or(0)));
        });
        // What is a secret with any continuation is one here.
        let mut found = self.find(&format!("{text}{CONTINUATION}"));
        found.push(known..text.len());
        found.retain_mut(|range| {
            range.end = range.end.min(text.len());
            range.start < range.end
        });
        pattern::replace(text, &pattern::merged(found), REPLACEMENT).into_owned()
    }

    /// Returns whether a secret may be in a text, or in a string of JSON text. Wrong only in one direction.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        self.filter.may_match(text.as_bytes()) || self.may_be_escaped_in(text.as_bytes())
    }

    /// Returns whether a secret may be in a text, given one in which there is none without escapes.
    pub(super) fn may_be_in_beside(&self, text: &str, clean: &mut CleanText) -> bool {
        self.filter.may_match_beside(text.as_bytes(), clean)
            || self.may_be_escaped_in(text.as_bytes())
    }

    /// Returns whether a secret may be in a text once its escapes are decoded.
    fn may_be_escaped_in(&self, text: &[u8]) -> bool {
        thread_local! {
            static DECODED: RefCell<[Vec<u8>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
        }
        if memchr::memchr(b'\\', text).is_none() {
            return false;
        }
        DECODED.with_borrow_mut(|[decoded, next]| {
            decoded.clear();
            escapes::decode_into(text, decoded);
            // The text of a line is decoded once more than the text of a string.
            for _ in 0..=escapes::DEPTH {
                if self.filter.may_match(decoded) {
                    return true;
                }
                if memchr::memchr(b'\\', decoded).is_none() {
                    return false;
                }
                next.clear();
                escapes::decode_into(decoded, next);
                std::mem::swap(decoded, next);
            }
            false
        })
    }

    /// Returns the places of all secrets in a text, in order.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        escapes::for_each_view(text, |view, original| {
            let mut add = |range: Range<usize>| {
                found.push(original(range.start)..original(range.end));
            };
            for value in &self.values {
                let length = value.needle().len();
                let starts = value.find_iter(view.as_bytes());
                starts.for_each(|start| add(start..start + length));
            }
            pattern::find(view, add);
        });
        pattern::merged(found)
    }

    /// Returns how many bytes of a text are settled: whatever text follows, it makes nothing in them a secret, and they
    /// do not decide whether it is one.
    pub(super) fn settled(&self, text: &str) -> usize {
        let mut settled = text.len();
        let unfinished = escapes::for_each_view(text, |view, original| {
            let partial = self
                .values
                .iter()
                .map(|value| partial(view, value.needle()));
            let unsettled = view.len() - partial.max().unwrap_or(0);
            let unsettled = unsettled.min(private_key::unsettled(view));
            let unsettled = unsettled.min(pattern::open_value(view));
            settled = settled.min(original(pattern::deciding_words(&view[..unsettled])));
        });
        settled.min(unfinished)
    }
}

/// Returns how many bytes at the end of a text begin a value, at most all but one of the value.
fn partial(text: &str, value: &[u8]) -> usize {
    let longest = text.len().min(value.len() - 1);
    let mut lengths = (1..=longest).rev();
    let found = lengths.find(|length| text.as_bytes().ends_with(&value[..*length]));
    found.unwrap_or(0)
}

/// Shows how many values are known, and none of them.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("values", &self.values.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_found_in_every_escaping() {
        let secrets = Secrets::new([r#"pa"ss\wörd/1"#.to_owned()]);
        let plain = r#"pa"ss\wörd/1"#;
        let mut text = plain.to_owned();
        for depth in 0..=3 {
            assert_eq!(
                secrets.redact(&format!("<{text}>")),
                "<[redacted]>",
                "{depth}: {text}"
            );
            text = serde_json::to_string(&text).unwrap();
            text = text[1..text.len() - 1]
                .replace('/', r"\/")
                .replace('ö', r"\u00f6");
        }
    }

    #[test]
    fn text_behind_a_settled_part_does_not_change_it() {
        let secrets = Secrets::new(["two words".to_owned(), "-----BEGIN x".to_owned()]);
        for (text, settled) in [
            ("all of this is plain text", "all of this "),
            ("a b c two", "a "),
            ("a b c d e two wor", "a b c "),
            ("one key: -----BEGIN EC PRIVATE KEY-----\nabc d e f g h", ""),
            (
                "one two three -----BEGIN CERTIFICATE----- a b c d e f g h i j k",
                "one two three -----BEGIN CERTIFICATE----- a b c d e f g h ",
            ),
        ] {
            assert_eq!(&text[..secrets.settled(text)], settled, "{text}");
        }
    }

    #[test]
    fn lines_of_a_known_value_are_secrets() {
        let secrets = Secrets::new(["first line of a key\nsecond line of a key".to_owned()]);
        let text = "1 first line of a key\n2 second line of a key";
        assert_eq!(secrets.redact(text), "1 [redacted]\n2 [redacted]");
    }

    #[test]
    fn blanks_around_a_known_value_are_ignored() {
        let secrets = Secrets::new(["hunter2\n".to_owned(), "\t".to_owned()]);
        assert_eq!(secrets.redact("it\tis hunter2."), "it\tis [redacted].");
        assert_eq!(secrets.redact_cut("it is hunt"), "it is [redacted]");
    }

    #[test]
    fn password_and_header_are_redacted_wherever_a_text_is_cut() {
        let secrets = Secrets::new([]);
        for (text, start) in [
            ("at https://me:correct@host now", "at https://me:"),
            ("> Cookie: correct horse of it", "> Cookie: "),
        ] {
            for end in start.len() + 4..text.len() {
                let redacted = secrets.redact_cut(&text[..end]);
                assert!(
                    redacted.starts_with(&format!("{start}[redacted]")),
                    "{redacted}"
                );
            }
        }
    }

    #[test]
    fn known_value_is_redacted_wherever_a_text_is_cut() {
        let value = r#"pa"ss\wörd of Ali"#;
        let secrets = Secrets::new([value.to_owned()]);
        for text in [
            format!("it is {value} now"),
            serde_json::json!({ "it is": value }).to_string(),
        ] {
            for end in 0..text.len() {
                let cut = String::from_utf8_lossy(&text.as_bytes()[..end]);
                let redacted = secrets.redact_cut(&cut);
                assert!(!redacted.contains("pa"), "{redacted}");
            }
        }
    }

    #[test]
    fn debug_shows_no_value() {
        let secrets = Secrets::new(["hunter2".to_owned()]);
        assert!(!format!("{secrets:?}").contains("hunter2"));
    }
}
