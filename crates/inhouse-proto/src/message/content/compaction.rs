use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// A summary with which the API replaced an earlier part of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CompactionBlock {
    /// The summary as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The summary in encrypted form, which only the API can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// The signature by which the API verifies that it created the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The tools that were added or removed in the replaced part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_changes: Option<Value>,
}
