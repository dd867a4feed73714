use inhouse_macros::Open;
use serde_json::Value;

/// What the CLI has just added to a transcript, for a session store to keep.
///
/// Sent only when mirroring was asked for. It is meant for the SDK and never becomes a
/// [`Message`](super::Message).
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TranscriptMirror {
    /// The transcript, as an absolute path.
    pub file_path: String,
    /// The entries, each an object.
    pub entries: Vec<Value>,
}
