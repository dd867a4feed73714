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

const SLOTS: usize = 1 << 14;

/// How many bytes of a text are looked up at once.
const STEP: usize = 6;

/// How many bytes of a text are compared with the clean one at once.
const SAME: usize = 64;

/// How many bytes from a step on, and how many steps before it, have to be the same as in the clean text. They hold every
/// byte that decides whether a needle that begins in the step is [harmless](is_harmless). The first is even, as [`STEP`] is.
const SAME_BEHIND: usize = 16;
const SAME_BEFORE: usize = 3;

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
        let Some(start) = needle.first_chunk() else {
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
        self.may_match_beside(text, b"")
    }

    /// Returns whether the text may contain a needle, given a `clean` one that contains none.
    ///
    /// Text that both have in the same place is skipped: most lines of a session with many calls differ from the line
    /// before in a few numbers.
    pub(super) fn may_match_beside(&self, text: &[u8], clean: &[u8]) -> bool {
        if self.is_open {
            return true;
        }
        let (mut rest, mut clean) = (text, clean);
        // How many steps before this one are the same in both.
        let mut same_steps = SAME_BEFORE;
        loop {
            while same_steps >= SAME_BEFORE
                && let Some(bytes) = rest.first_chunk::<SAME>()
                && clean.first_chunk() == Some(bytes)
            {
                rest = &rest[SAME - SAME_BEHIND..];
                clean = &clean[SAME - SAME_BEHIND..];
            }
            let Some(bytes) = rest.first_chunk() else {
                break;
            };
            let same = rest.first_chunk::<SAME_BEHIND>();
            let is_same = same.is_some() && same == clean.first_chunk();
            if !(is_same && same_steps >= SAME_BEFORE)
                && self.may_begin_at(*bytes)
                && self.is_near(text, text.len() - rest.len())
            {
                return true;
            }
            same_steps = if is_same { same_steps + 1 } else { 0 };
            rest = &rest[STEP..];
            clean = clean.get(STEP..).unwrap_or_default();
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.may_begin_at(last) && self.is_near(text, text.len() - rest.len())
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
    fn is_near(&self, text: &[u8], at: usize) -> bool {
        (at.saturating_sub(1)..at + STEP - 1).any(|at| {
            let bytes = text.get(at..).and_then(<[u8]>::first_chunk);
            bytes.is_some_and(|bytes| {
                let start = u32::from_le_bytes(*bytes) | LOWER as u32;
                self.needles.binary_search(&start).is_ok()
                    && (!is_harmless(text, at) || self.everywhere.contains(&start))
            })
        })
    }
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

    proptest! {
        #[test]
        fn clean_text_hides_no_needle(clean in text_of(&CLEAN), kept in 0..200_usize, other in text_of(&ANY)) {
            let filter = Filter::new([], [b"token".as_slice(), b"ghp_"]);
            prop_assert!(!filter.may_match(clean.as_bytes()));
            // Text that begins as the clean one, differs, and is the same again from some place on.
            let kept = kept.min(clean.len());
            let mut text = clean[..kept].to_owned() + &other;
            text.push_str(clean.get(text.len()..).unwrap_or_default());
            prop_assert_eq!(
                filter.may_match_beside(text.as_bytes(), clean.as_bytes()),
                filter.may_match(text.as_bytes())
            );
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
                assert!(!filter.may_match(&clean));
                assert!(filter.may_match_beside(&text, &clean), "{at} {kept}");
                assert!(!filter.may_match_beside(&clean, &clean));
            }
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
