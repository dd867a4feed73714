use std::ops::Range;

/// Finds out quickly that a text contains none of many needles.
///
/// A set of three-byte sequences, in which every needle has its first two. Of two neighbouring positions of a text only one
/// needs a lookup, because one of the two sequences of a needle begins at an even position. Letters match in any case.
#[derive(Clone)]
pub(super) struct Filter {
    /// 1 for the slots of the sequences. Bytes instead of bits, because a lookup is then a single load.
    slots: Box<[u8; SLOTS]>,
    /// The first four bytes of each needle, in lower case and in order.
    needles: Vec<u32>,
    /// Those of the needles that match wherever they stand.
    everywhere: Vec<u32>,
    /// Whether a needle is too short, so that every text may contain one.
    is_open: bool,
}

/// A text that contains no needle, to compare the next one with.
#[derive(Clone, Debug, Default)]
pub(super) struct CleanText {
    bytes: Vec<u8>,
    /// Where needles begin that are [harmless](is_harmless).
    harmless: Vec<usize>,
}

const SLOTS: usize = 1 << 14;

/// How many bytes of a text are looked up at once.
const STEP: usize = 6;

/// How many bytes of a needle are compared.
const START: usize = size_of::<u32>();

/// How many bytes of a text are compared with the clean one at once.
const WORD: usize = size_of::<u64>();

/// Longer texts are not kept to be compared with the next one.
const MAX_CLEAN: usize = 4 << 10;

/// Maps each letter to lower case, and every other byte to one that only few bytes share.
const LOWER: u64 = 0x2020_2020_2020_2020;

impl Filter {
    /// Creates a filter for needles that match wherever they stand, and for others that match unless they are
    /// [harmless](is_harmless).
    pub(super) fn new<'a>(
        everywhere: impl IntoIterator<Item = &'a [u8]>,
        others: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        let mut filter = Self {
            slots: Box::new([0; SLOTS]),
            needles: Vec::new(),
            everywhere: Vec::new(),
            is_open: false,
        };
        for needle in everywhere {
            let start = filter.add(needle);
            filter.everywhere.extend(start);
        }
        for needle in others {
            filter.add(needle);
        }
        filter.needles.sort_unstable();
        filter
    }

    /// Adds a needle and returns its first four bytes; `None` if it is shorter.
    fn add(&mut self, needle: &[u8]) -> Option<u32> {
        let Some(start) = needle.first_chunk::<START>() else {
            self.is_open = true;
            return None;
        };
        let start = u32::from_le_bytes(*start) | LOWER as u32;
        self.slots[slot(start.into())] = 1;
        self.slots[slot((start >> 8).into())] = 1;
        self.needles.push(start);
        Some(start)
    }

    /// Returns whether the text may contain a needle.
    pub(super) fn may_match(&self, text: &[u8]) -> bool {
        self.is_open || self.may_begin_in(text, 0..text.len(), &mut Vec::new())
    }

    /// Returns whether the text may contain a needle, given one that contains none. If not, the text takes the place of that one.
    ///
    /// Bytes that both have in the same place are skipped: most lines of a session with many calls differ from the line
    /// before in a few numbers.
    pub(super) fn may_match_beside(&self, text: &[u8], clean: &mut CleanText) -> bool {
        let may_match = self.is_open || self.may_match_in_changes(text, clean);
        clean.bytes.clear();
        match may_match || text.len() > MAX_CLEAN {
            true => clean.harmless.clear(),
            false => clean.bytes.extend_from_slice(text),
        }
        may_match
    }

    /// Searches everywhere but where a needle would be the same in the clean text, whose harmless ones become those of `text`.
    fn may_match_in_changes(&self, text: &[u8], clean: &mut CleanText) -> bool {
        let CleanText { bytes, harmless } = clean;
        // A needle that is the same may have become a part of another word.
        harmless.retain(|at| start_at(text, *at) == start_at(bytes, *at));
        if harmless.iter().any(|at| !is_harmless(text, *at)) {
            return true;
        }
        let (words, clean_words) = (text.as_chunks().0, bytes.as_chunks().0);
        let pairs = words.iter().zip(clean_words);
        let behind = pairs.len() * WORD..text.len();
        let changes = pairs
            .enumerate()
            .filter_map(|(number, (word, clean_word))| {
                let changed = changed_bytes(*word, *clean_word)?;
                Some(number * WORD + changed.start..number * WORD + changed.end)
            });
        // Where a needle may begin that has a changed byte: of changes next to each other together.
        let mut starts = 0..0;
        for change in changes.chain([behind]) {
            let begin = change.start.saturating_sub(START - 1);
            if begin > starts.end {
                if self.may_begin_in(text, starts, harmless) {
                    return true;
                }
                starts = begin..begin;
            }
            starts.end = change.end;
        }
        self.may_begin_in(text, starts, harmless)
    }

    /// Returns whether a needle begins in a range of a text; adds the positions of harmless ones to `harmless`.
    fn may_begin_in(&self, text: &[u8], starts: Range<usize>, harmless: &mut Vec<usize>) -> bool {
        let mut at = starts.start;
        // Also at the end of the range, because the last needle may be found by its second sequence.
        while at <= starts.end {
            let rest = &text[at..];
            let bytes = rest.first_chunk().copied().unwrap_or_else(|| {
                let mut last = [0; WORD];
                last[..rest.len()].copy_from_slice(rest);
                last
            });
            if self.may_begin_at(bytes) && self.is_near(text, at, harmless) {
                return true;
            }
            at += STEP;
        }
        false
    }

    /// Looks up the sequences at the first three even positions of eight bytes, without a branch for each.
    #[inline]
    fn may_begin_at(&self, bytes: [u8; 8]) -> bool {
        let word = u64::from_le_bytes(bytes) | LOWER;
        let slots = &*self.slots;
        slots[slot(word)] | slots[slot(word >> 16)] | slots[slot(word >> 32)] != 0
    }

    /// Returns whether a needle begins at a position whose sequences were looked up for `at`.
    #[cold]
    fn is_near(&self, text: &[u8], at: usize, harmless: &mut Vec<usize>) -> bool {
        (at.saturating_sub(1)..at + STEP - 1).any(|at| {
            let Some(start) = start_at(text, at) else {
                return false;
            };
            if self.needles.binary_search(&start).is_err() {
                return false;
            }
            if !is_harmless(text, at) || self.everywhere.contains(&start) {
                return true;
            }
            if !harmless.contains(&at) {
                harmless.push(at);
            }
            false
        })
    }
}

/// Returns what is compared of a needle that begins at a position; `None` if the text is too short.
fn start_at(text: &[u8], at: usize) -> Option<u32> {
    let bytes = text.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes) | LOWER as u32)
}

/// Returns the part of a word from the first to the last byte that differs from the other; `None` if they are equal.
fn changed_bytes(word: [u8; WORD], other: [u8; WORD]) -> Option<Range<usize>> {
    let changes = u64::from_le_bytes(word) ^ u64::from_le_bytes(other);
    let (before, behind) = (changes.trailing_zeros(), changes.leading_zeros());
    (changes != 0).then(|| before as usize / 8..WORD - behind as usize / 8)
}

/// Returns whether `token` stands at a position as a part of a word that names no secret: `tokens`, or the member
/// `progressToken` of MCP.
///
/// Almost every line has one of the two, and would otherwise be taken apart.
fn is_harmless(text: &[u8], at: usize) -> bool {
    let is_token = |word: &[u8]| word.eq_ignore_ascii_case(b"token");
    let (before, word) = text.split_at(at);
    let Some((token, behind)) = word.split_at_checked(5) else {
        return false;
    };
    is_token(token)
        && (behind.first().is_some_and(u8::is_ascii_alphanumeric)
            || (token == b"Token" && before.ends_with(b"\"progress")))
}

/// Returns the slot of the first three bytes of a word.
#[inline]
fn slot(word: u64) -> usize {
    // The shift drops the fourth byte, and the product mixes the others into its upper bits.
    (((word as u32) << 8).wrapping_mul(0x9E37_79B1) >> 18) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLEAN: [&str; 5] = ["tokens", "\"progressToken", "\"", ":7,", "x"];
    const ANY: [&str; 7] = ["token", "Token", "s", "progress", "ghp_", "_", "x"];

    fn text_of(parts: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(parts), 0..40).prop_map(|parts| parts.concat())
    }

    /// Returns a text that was found to be clean.
    fn clean_text(filter: &Filter, text: &[u8]) -> CleanText {
        let mut clean = CleanText::default();
        assert!(!filter.may_match_beside(text, &mut clean));
        clean
    }

    proptest! {
        #[test]
        fn clean_text_hides_no_needle(
            clean in text_of(&CLEAN),
            changes in prop::collection::vec((0..200_usize, text_of(&ANY)), 1..4),
        ) {
            let filter = Filter::new([], [b"token".as_slice(), b"ghp_"]);
            prop_assert!(!filter.may_match(clean.as_bytes()));
            let mut beside = clean_text(&filter, clean.as_bytes());
            for (kept, other) in changes {
                // Text that begins as the clean one, differs, and is the same again from some place on.
                let kept = kept.min(clean.len());
                let mut text = clean[..kept].to_owned() + &other;
                text.push_str(clean.get(text.len()..).unwrap_or_default());
                prop_assert_eq!(
                    filter.may_match_beside(text.as_bytes(), &mut beside),
                    filter.may_match(text.as_bytes())
                );
            }
        }
    }

    #[test]
    fn needles_are_found_at_every_position_and_in_any_case() {
        let filter = Filter::new([], [b"Bearer".as_slice(), b"ghp_"]);
        for before in 0..20 {
            for needle in ["bEARER", "ghp_"] {
                for behind in 0..9 {
                    let text = format!("{}{needle}{}", "x".repeat(before), "y".repeat(behind));
                    assert!(filter.may_match(text.as_bytes()), "{text}");
                }
            }
        }
        assert!(!filter.may_match(b"a beer and an earring, gh_p and ghp"));
        assert!(!filter.may_match(b""));
    }

    #[test]
    fn needle_that_a_clean_text_completes_is_found() {
        let filter = Filter::new([], [b"ghp_".as_slice()]);
        let clean = "x".repeat(40);
        for at in 0..=36 {
            // Three bytes of the needle are in the clean text as well.
            for kept in 0..4 {
                let mut text = clean.clone().into_bytes();
                text[at..at + 4].copy_from_slice(b"ghp_");
                let mut clean = text.clone();
                clean[at + kept] = b'x';
                let mut beside = clean_text(&filter, &clean);
                assert!(!filter.may_match_beside(&clean, &mut beside));
                assert!(filter.may_match_beside(&text, &mut beside), "{at} {kept}");
                assert!(!filter.may_match_beside(&clean, &mut beside));
            }
        }
    }

    #[test]
    fn harmless_needle_that_becomes_another_word_is_found() {
        let filter = Filter::new([], [b"token".as_slice()]);
        let counted = br#"{"usage":{"input_tokens":7},"_meta":{"progressToken":7}}"#;
        for (from, to) in [("tokens", "token_"), ("\"progress", "\"prOgress")] {
            let text = String::from_utf8_lossy(counted).replace(from, to);
            let mut beside = clean_text(&filter, counted);
            // The second line is compared with the first one, and the third with the second.
            assert!(!filter.may_match_beside(counted, &mut beside));
            assert!(
                filter.may_match_beside(text.as_bytes(), &mut beside),
                "{text}"
            );
        }
    }

    #[test]
    fn short_needle_matches_everything() {
        assert!(Filter::new([], [b"abc".as_slice()]).may_match(b""));
    }

    #[test]
    fn tokens_that_are_counted_do_not_match() {
        let filter = Filter::new([], [b"token".as_slice()]);
        for text in [
            r#"{"input_tokens":7}"#,
            r#"{"_meta":{"progressToken":7}}"#,
            "tokenization",
        ] {
            assert!(!filter.may_match(text.as_bytes()), "{text}");
        }
        for text in [
            r#"{"token":7}"#,
            "token",
            "TOKEN_=",
            r#"{"my_progressToken":7}"#,
            r#"{\"token\":7}"#,
        ] {
            assert!(filter.may_match(text.as_bytes()), "{text}");
        }
        // A known value is a secret as a part of any word.
        let filter = Filter::new([b"tokens-of-mine".as_slice()], [b"token".as_slice()]);
        assert!(filter.may_match(b"tokens-of-mine"));
    }
}
