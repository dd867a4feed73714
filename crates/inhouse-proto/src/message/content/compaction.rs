use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// A summary by which the API replaced an earlier part of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CompactionBlock {
    /// The summary in the clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The summary, encrypted; of use only to the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// Proves to the API that the summary is its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Which tools came and went in the replaced part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_changes: Option<Value>,
}
