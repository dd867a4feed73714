use inhouse_macros::Open;
use serde_json::Value;

/// Entries that the CLI added to a transcript, for a session store to keep.
///
/// Sent only if mirroring is enabled. The SDK handles this line itself; it never becomes a
/// [`Message`](super::Message).
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TranscriptMirror {
    /// Absolute path of the transcript.
    pub file_path: String,
    /// The added entries, each a JSON object.
    pub entries: Vec<Value>,
}
