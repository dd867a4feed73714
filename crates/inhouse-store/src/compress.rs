//! Bodies, compressed where that pays.

use bytes::Bytes;

use crate::{Result, StoreError, StoreErrorKind};

/// Shorter bodies stay readable in the database, and save little.
const MIN_LENGTH: usize = 1024;

/// How a body is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    /// LZ4 block format after the length of the body as a little-endian `u32`.
    Lz4,
}

/// Returns the body as it is stored: compressed if that saves at least an eighth.
pub(crate) fn encode(body: &Bytes) -> (Encoding, Bytes) {
    if body.len() >= MIN_LENGTH && u32::try_from(body.len()).is_ok() {
        let compressed = lz4_flex::block::compress_prepend_size(body);
        if compressed.len() <= body.len() - body.len() / 8 {
            return (Encoding::Lz4, compressed.into());
        }
    }
    (Encoding::Plain, body.clone())
}

pub(crate) fn decode(encoding: i64, stored: Bytes) -> Result<Bytes> {
    match Encoding::try_from(encoding)? {
        Encoding::Plain => Ok(stored),
        Encoding::Lz4 => lz4_flex::block::decompress_size_prepended(&stored)
            .map(Bytes::from)
            .map_err(|error| {
                StoreError::new(StoreErrorKind::Corrupt, "compressed body").with_source(error)
            }),
    }
}

impl From<Encoding> for i64 {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Plain => 0,
            Encoding::Lz4 => 1,
        }
    }
}

impl TryFrom<i64> for Encoding {
    type Error = StoreError;

    fn try_from(number: i64) -> Result<Self> {
        match number {
            0 => Ok(Self::Plain),
            1 => Ok(Self::Lz4),
            _ => Err(StoreError::new(
                StoreErrorKind::TooNew,
                format!("encoding {number} of a body"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_repetitive_bodies_are_compressed() {
        let mut state = 1_u32;
        let random = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        });
        let random: Bytes = random.take(5000).collect();
        for (body, expected) in [
            (Bytes::from("a".repeat(MIN_LENGTH - 1)), Encoding::Plain),
            (Bytes::from("a".repeat(MIN_LENGTH)), Encoding::Lz4),
            (random, Encoding::Plain),
            (Bytes::new(), Encoding::Plain),
        ] {
            let (encoding, stored) = encode(&body);
            assert_eq!(encoding, expected);
            assert_eq!(decode(encoding.into(), stored).unwrap(), body);
        }
    }

    #[test]
    fn unknown_encoding_and_bad_bodies_are_errors() {
        let kind = |encoding, stored: &'static [u8]| {
            let stored = Bytes::from_static(stored);
            decode(encoding, stored).unwrap_err().kind()
        };
        assert_eq!(kind(2, b"x"), StoreErrorKind::TooNew);
        assert_eq!(kind(1, b"x"), StoreErrorKind::Corrupt);
        assert_eq!(kind(1, b"\x08\0\0\0\xff\xff"), StoreErrorKind::Corrupt);
    }
}
