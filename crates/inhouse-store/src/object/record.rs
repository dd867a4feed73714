//! The records of a log and the heads, as bytes: a line of JSON, then the body.

use bytes::{Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use crate::{Result, StoreError, StoreErrorKind, compress};

/// The version of the layout. Programs refuse a greater one.
const VERSION: u32 = 1;

/// The first line of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header<T> {
    version: u32,
    encoding: i64,
    #[serde(flatten)]
    pub(super) content: T,
}

/// A record of the log of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The epoch of the writer.
    pub(super) epoch: u64,
    #[serde(flatten)]
    pub(super) change: Change,
}

/// The change that a record makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Change {
    /// A new owner, with the epoch of the record.
    Fence,
    /// Entries; the body is the summary, if there is one, and the entries.
    Append {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subpath: Option<String>,
        position: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<usize>,
        lengths: Vec<usize>,
    },
    /// A file, whose content is another object.
    File {
        path: String,
        size: u64,
        object: String,
    },
    /// The erasure of a subpath. Its records become [`Change::Blank`].
    EraseStream { subpath: String },
    /// A record whose content was erased.
    Blank,
    /// The erasure of the session: all records before do not count.
    Erase,
}

/// The head of a session; the body is the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) session: String,
    /// The number of the last record that this head includes.
    pub(super) number: u64,
    /// The end of the main stream.
    pub(super) end: u64,
    pub(super) has_summary: bool,
}

/// Returns an object: the header and the body, compressed if that pays.
pub(super) fn encode<T: Serialize>(content: T, body: &[Bytes]) -> Result<[Bytes; 2]> {
    let mut joined = BytesMut::with_capacity(body.iter().map(Bytes::len).sum());
    body.iter().for_each(|part| joined.extend_from_slice(part));
    let (encoding, body) = compress::encode(&joined.freeze());
    let header = Header {
        version: VERSION,
        encoding: encoding.into(),
        content,
    };
    let mut line = serde_json::to_vec(&header).map_err(|error| {
        StoreError::new(StoreErrorKind::Invalid, "header of an object").with_source(error)
    })?;
    line.push(b'\n');
    Ok([line.into(), body])
}

/// Returns the header at the beginning of an object, and the offset of the body; `None` if `bytes` ends before the header does.
pub(super) fn header<T: for<'a> Deserialize<'a>>(
    bytes: &Bytes,
) -> Result<Option<(Header<T>, usize)>> {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return Ok(None);
    };
    // Another version may have other members, so its number is read first.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let corrupt = |error: serde_json::Error| {
        StoreError::new(StoreErrorKind::Corrupt, "header of an object").with_source(error)
    };
    let Version { version } = serde_json::from_slice(&bytes[..end]).map_err(corrupt)?;
    if version > VERSION {
        let message = format!("object with version {version}");
        return Err(StoreError::new(StoreErrorKind::TooNew, message));
    }
    let header = serde_json::from_slice(&bytes[..end]).map_err(corrupt)?;
    Ok(Some((header, end + 1)))
}

/// Returns the header and the body of a whole object.
pub(super) fn decode<T: for<'a> Deserialize<'a>>(bytes: &Bytes) -> Result<(T, Bytes)> {
    let Some((header, body)) = header::<T>(bytes)? else {
        return Err(corrupt("an object without a header"));
    };
    let body = compress::decode(header.encoding, bytes.slice(body..))?;
    Ok((header.content, body))
}

/// Cuts the entries of an append out of its body, after the summary.
pub(super) fn entries(
    summary: Option<usize>,
    lengths: &[usize],
    mut body: Bytes,
) -> Result<(Option<Bytes>, Vec<Bytes>)> {
    let mut cut = |length: usize| {
        if length > body.len() {
            return Err(corrupt("an append that is shorter than its lengths"));
        }
        Ok(body.split_to(length))
    };
    let summary = summary.map(&mut cut).transpose()?;
    let entries = lengths.iter().map(|length| cut(*length));
    Ok((summary, entries.collect::<Result<_>>()?))
}

pub(super) fn corrupt(message: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(lengths: &[usize]) -> Record {
        Record {
            epoch: 7,
            change: Change::Append {
                subpath: Some("a".to_owned()),
                position: 3,
                summary: Some(1),
                lengths: lengths.to_vec(),
            },
        }
    }

    #[test]
    fn records_survive_a_round_trip() {
        for body in [Bytes::from("sab\n"), Bytes::from("\n".repeat(5000))] {
            let record = append(&[1, body.len() - 2]);
            let object = encode(&record, std::slice::from_ref(&body))
                .unwrap()
                .concat();
            let (decoded, decoded_body) = decode::<Record>(&object.into()).unwrap();
            assert_eq!((decoded, decoded_body), (record, body));
        }
    }

    #[test]
    fn newer_and_damaged_objects_are_errors() {
        let kind = |object: &'static [u8]| {
            let object = Bytes::from_static(object);
            decode::<Record>(&object).unwrap_err().kind()
        };
        assert_eq!(kind(b"{\"version\":2}\n"), StoreErrorKind::TooNew);
        assert_eq!(kind(b"{\"version\":1}\n"), StoreErrorKind::Corrupt);
        assert_eq!(kind(b"{\"version\":1"), StoreErrorKind::Corrupt);
        assert_eq!(kind(b"\xff\n"), StoreErrorKind::Corrupt);
    }

    #[test]
    fn entries_longer_than_the_body_are_corrupt() {
        let cut = |lengths: &[usize]| entries(Some(1), lengths, Bytes::from("sab"));
        assert_eq!(cut(&[1, 1]).unwrap().1, ["a", "b"]);
        assert_eq!(cut(&[1, 2]).unwrap_err().kind(), StoreErrorKind::Corrupt);
    }
}
