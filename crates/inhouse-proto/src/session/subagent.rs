use inhouse_macros::Open;

use super::Entry;
use super::rewrite::{Member, rewrite_object};

/// The metadata of a subagent, from the file `agent-<id>.meta.json` beside its transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentMetadata {
    /// The type name of the subagent.
    pub agent_type: Option<String>,
    /// Short description of the subagent's task.
    pub description: Option<String>,
    /// The tool call that started the subagent.
    pub tool_use_id: Option<String>,
    /// The subagent that started this one; `None` if the main conversation did.
    pub parent_agent_id: Option<String>,
}

impl SubagentMetadata {
    /// Decodes the content of the file. Every field is `None` if the content is not a JSON object.
    #[must_use]
    pub fn decode(json: &str) -> Self {
        crate::open::decode(json).unwrap_or_default()
    }
}

/// Returns the content of a metadata file as an entry of the type `agent_metadata`, on one line.
///
/// Such entries exist only outside of the disk: in an exported session, and in the CLI's mirror of a transcript.
/// Returns `None` if the content is not a JSON object.
///
/// ```
/// use inhouse_proto::session::metadata_entry;
///
/// let entry = metadata_entry("{\"agentType\":\"shepherd\"}\n").unwrap();
/// assert_eq!(entry, r#"{"agentType":"shepherd","type":"agent_metadata"}"#);
/// ```
#[must_use]
pub fn metadata_entry(content: &str) -> Option<String> {
    // A raw line break in JSON is whitespace between values.
    let content = content.replace(['\r', '\n'], " ");
    let added = [format!("\"type\":\"{METADATA}\"")];
    rewrite_object(content.trim(), &added, drop_type)
}

/// Returns the content of the metadata file for an entry of the type `agent_metadata`; `None` for other entries.
///
/// ```
/// use inhouse_proto::session::metadata_content;
///
/// let entry = r#"{"type":"agent_metadata","agentType":"shepherd"}"#;
/// assert_eq!(metadata_content(entry).as_deref(), Some(r#"{"agentType":"shepherd"}"#));
/// assert_eq!(metadata_content(r#"{"type":"user"}"#), None);
/// ```
#[must_use]
pub fn metadata_content(line: &str) -> Option<String> {
    let entry = Entry::read(line).filter(|entry| entry.tag == METADATA)?;
    rewrite_object(entry.line.trim(), &[], drop_type)
}

const METADATA: &str = "agent_metadata";

fn drop_type(name: &str, _: &str) -> Member {
    match name {
        "type" => Member::Drop,
        _ => Member::Keep,
    }
}

/// Returns whether a text can be the id of a subagent: 1 to 128 ASCII letters, digits, `_` and `-`.
///
/// ```
/// use inhouse_proto::session::is_agent_id;
///
/// assert!(is_agent_id("a996ef0b3bc4fb18a"));
/// assert!(!is_agent_id("../a996ef0b3bc4fb18a"));
/// ```
#[must_use]
pub fn is_agent_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_leniently() {
        let read = SubagentMetadata::decode(r#"{"toolUseId":"toolu_1","agentType":7,"new":[]}"#);
        assert_eq!(read.tool_use_id.as_deref(), Some("toolu_1"));
        assert_eq!(read.agent_type, None);
        for text in ["", "[]", "{\"toolUseId\":"] {
            assert_eq!(SubagentMetadata::decode(text), SubagentMetadata::default());
        }
    }
}
