//! Looks at eight bytes of JSON at once.

pub(crate) type Word = [u8; size_of::<u64>()];

/// How far it is to the first quotation mark or backslash in a word; `None` when there is none.
#[inline]
pub(crate) fn mark_in(word: Word) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    first(word, equal(word, b'"') | equal(word, b'\\'))
}

/// How far it is to the first byte that cannot stand in a string as it is: a mark, or a control.
#[inline]
pub(crate) fn special_in(word: Word) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    let controls = word.wrapping_sub(spread(b' '));
    first(word, equal(word, b'"') | equal(word, b'\\') | controls)
}

/// Has the highest bit of the first ASCII byte that is this one, and of no ASCII byte before it.
const fn equal(word: u64, byte: u8) -> u64 {
    (word ^ spread(byte)).wrapping_sub(spread(1))
}

/// The first ASCII byte whose highest bit was found.
const fn first(word: u64, found: u64) -> Option<usize> {
    match found & !word & spread(0x80) {
        0 => None,
        found => Some(found.trailing_zeros() as usize / 8),
    }
}

/// A word that consists of one byte.
const fn spread(byte: u8) -> u64 {
    u64::from_le_bytes([byte; size_of::<u64>()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_find_what_a_look_at_each_byte_finds(
            word in prop::array::uniform8(prop_oneof![
                any::<u8>(),
                prop::sample::select(vec![b'"', b'\\', b' ', 0x1f, 0, b'!', b'#', b'[', b']', 0xa2]),
            ]),
        ) {
            let is_mark = |byte: &u8| matches!(byte, b'"' | b'\\');
            let is_special = |byte: &u8| is_mark(byte) || *byte < b' ';
            prop_assert_eq!(mark_in(word), word.iter().position(is_mark));
            prop_assert_eq!(special_in(word), word.iter().position(is_special));
        }
    }
}
