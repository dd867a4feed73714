//! SWAR search (SIMD within a register): searches eight bytes of JSON at once.
//!
//! A mask has the high bit set in each byte that matches. A subtraction that borrows may also set the high bit in bytes
//! *after* the first match; this is harmless, because only the first match is used. Non-ASCII bytes never match and
//! never borrow, since all bytes that are searched for are ASCII.

/// Eight bytes, in the order in which they are in the text.
pub(crate) type Word = [u8; size_of::<u64>()];

/// Returns the offset of the first quotation mark or backslash in a word; `None` if there is none.
#[inline]
pub(crate) fn find_quote_or_backslash(word: Word) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    first_match(word, equal_mask(word, b'"') | equal_mask(word, b'\\'))
}

/// Returns the offset of the first byte that needs an escape in a string: a quotation mark, backslash or control
/// character.
#[inline]
pub(crate) fn find_special(word: Word) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    // Subtracting a space from a control character borrows, which sets the high bit.
    let controls = word.wrapping_sub(broadcast(b' '));
    first_match(
        word,
        equal_mask(word, b'"') | equal_mask(word, b'\\') | controls,
    )
}

/// Returns a mask whose first ASCII match is the first byte of the word that is equal to `byte`.
const fn equal_mask(word: u64, byte: u8) -> u64 {
    // An equal byte becomes zero, and subtracting one from it sets the high bit.
    (word ^ broadcast(byte)).wrapping_sub(broadcast(1))
}

/// Returns the offset of the first match of a mask. Ignores non-ASCII bytes, whose high bit has no meaning.
const fn first_match(word: u64, found: u64) -> Option<usize> {
    match found & !word & broadcast(0x80) {
        0 => None,
        found => Some(found.trailing_zeros() as usize / 8),
    }
}

/// Returns a word that repeats one byte.
const fn broadcast(byte: u8) -> u64 {
    u64::from_le_bytes([byte; size_of::<u64>()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn search_finds_the_same_as_a_byte_loop(
            word in prop::array::uniform8(prop_oneof![
                any::<u8>(),
                prop::sample::select(vec![b'"', b'\\', b' ', 0x1f, 0, b'!', b'#', b'[', b']', 0xa2]),
            ]),
        ) {
            let is_quote_or_backslash = |byte: &u8| matches!(byte, b'"' | b'\\');
            let is_special = |byte: &u8| is_quote_or_backslash(byte) || *byte < b' ';
            prop_assert_eq!(find_quote_or_backslash(word), word.iter().position(is_quote_or_backslash));
            prop_assert_eq!(find_special(word), word.iter().position(is_special));
        }
    }
}
