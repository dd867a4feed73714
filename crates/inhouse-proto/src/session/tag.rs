use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Number of rounds after which a tag must not change any more.
const MAX_ROUNDS: usize = 10;

/// Returns a tag without invisible characters, in Unicode form NFKC and without surrounding whitespace.
///
/// Returns `None` if nothing is left of the tag. Format characters, private-use characters and unassigned code points
/// are removed, because two tags that look alike must be equal.
///
/// ```
/// use inhouse_proto::session::sanitize_tag;
///
/// assert_eq!(sanitize_tag(" invoices\u{200b} ").as_deref(), Some("invoices"));
/// assert_eq!(sanitize_tag("\u{200b}"), None);
/// ```
#[must_use]
pub fn sanitize_tag(tag: &str) -> Option<String> {
    let mut tag = tag.to_owned();
    for _ in 0..MAX_ROUNDS {
        let next: String = tag.nfkc().filter(|c| is_visible(*c)).collect();
        let is_stable = next == tag;
        tag = next;
        if is_stable {
            break;
        }
    }
    let tag = tag.trim();
    (!tag.is_empty()).then(|| tag.to_owned())
}

fn is_visible(c: char) -> bool {
    !matches!(
        c.general_category(),
        GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Unassigned
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_is_normalized_and_stripped() {
        for (tag, expected) in [
            ("plain", Some("plain")),
            ("  two words ", Some("two words")),
            ("ﬁsh", Some("fish")),
            ("e\u{301}", Some("é")),
            ("a\u{202e}b\u{2066}c\u{feff}", Some("abc")),
            ("\u{e000}x\u{378}", Some("x")),
            ("", None),
            (" \u{200b} ", None),
        ] {
            assert_eq!(sanitize_tag(tag).as_deref(), expected, "{tag:?}");
        }
    }
}
