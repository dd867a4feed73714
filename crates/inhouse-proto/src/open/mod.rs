//! Lenient decoding: values that this version of the crate does not know are kept.
//!
//! | JSON value | declaration | additions of a newer CLI |
//! |---|---|---|
//! | object | struct with `#[derive(Open)]` | a member is ignored, and still in the raw line |
//! | string of a fixed set | enum with `#[derive(Open)]` | a value is kept in `Unknown(String)` |
//! | object with a tag | enum with `#[derive(Open)]` and `#[serde(tag)]` | a tag is kept in [`Unknown`] |
//!
//! Only messages and replies are decoded leniently. Requests that the host decides on (permissions, hooks,
//! elicitations) are plain serde types. A member of the wrong shape is an error there, because a silent `None` could
//! allow a call.

mod decode;
mod unknown;

pub use self::unknown::Unknown;

pub(crate) use self::decode::{
    Name, decode, decode_request, decode_strictly, decode_value, optional, required, string, union,
};
