//! Decoding that keeps what it does not know.
//!
//! | shape | how it is declared | what a newer CLI may add |
//! |---|---|---|
//! | an object | a struct with `#[derive(Open)]` | further members: ignored, still in the raw line |
//! | a string out of a set | an enum with `#[derive(Open)]` | a value: kept in `Unknown(String)` |
//! | an object told apart by a tag | an enum with `#[derive(Open)]` and `#[serde(tag)]` | a tag: kept in [`Unknown`] |
//!
//! Only messages and replies are lenient. Requests that the host decides on (permissions, hooks, elicitations) are
//! plain serde types: a misshapen member is an error there, because a silent `None` could let a call through.

mod decode;
mod unknown;

pub use self::unknown::Unknown;

pub(crate) use self::decode::{
    Name, decode, decode_request, decode_value, optional, required, string, union,
};
