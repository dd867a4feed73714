//! The properties that the fuzz targets check, one function for each target.

mod engine;
mod message;
mod recordings;
mod requests;
mod rpc;
mod rules;
mod session;

pub use engine::engine;
pub use message::message;
pub(crate) use recordings::SEPARATOR;
pub use recordings::recordings;
pub use requests::requests;
pub use rpc::rpc;
pub use rules::rules;
pub use session::session;

use serde_json::value::RawValue;

/// Returns whether a text is one JSON value, of any depth.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Panics unless a line that is written to a transcript is an object, without a line feed.
#[track_caller]
fn assert_entry(line: &str) {
    assert!(is_json(line), "not JSON: {line}");
    assert!(line.starts_with('{'), "not an object: {line}");
    assert!(!line.contains('\n'), "a line feed: {line:?}");
}
