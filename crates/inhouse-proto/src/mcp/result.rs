use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Content;
use crate::wire::write_string;

/// The result of a tool call.
///
/// In the form that the CLI accepts: `content` is always serialized, and `isError` only if it is true.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolResult {
    /// The content for the model. The CLI does not pass it to the model if a successful result has
    /// [`structured_content`](Self::structured_content).
    #[serde(default)]
    pub content: Vec<Content>,
    /// The result as data. If it is present, the model reads it as JSON text instead of the content. The CLI ignores it
    /// if the call failed (2.1.325).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the call failed. The model reads the content as the reason for the failure, and can try something else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Metadata (`_meta`) between the host and its own tools. The model does not read it.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl CallToolResult {
    /// Creates a successful result with content.
    #[must_use]
    pub fn new(content: impl IntoIterator<Item = Content>) -> Self {
        Self {
            content: content.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Creates a successful result with one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new([Content::text(text)])
    }

    /// Creates a successful result with structured content.
    #[must_use]
    pub fn structured(data: Value) -> Self {
        Self {
            structured_content: Some(data),
            ..Self::default()
        }
    }

    /// Creates a failed result with a text for the model.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Appends the result as JSON. After an error the content of the buffer is unspecified.
    pub(super) fn write_json(&self, json: &mut Vec<u8>) -> serde_json::Result<()> {
        let is_plain = self.structured_content.is_none() && self.meta.is_none();
        let text = match &*self.content {
            [Content::Text(text)] if is_plain && text.is_plain() => &text.text,
            _ => return serde_json::to_writer(json, self),
        };
        // Fast path for a single plain text, which most tools return.
        json.extend_from_slice(br#"{"content":[{"type":"text","text":"#);
        write_string(json, text);
        json.extend_from_slice(match self.is_error {
            true => br#"}],"isError":true}"#,
            false => b"}]}",
        });
        Ok(())
    }

    /// Returns the text of all text blocks, separated by line feeds.
    #[must_use]
    pub fn all_text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|content| match content {
                Content::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fast_path_writes_the_same_as_serde() {
        let annotated = json!({"type": "text", "text": "a", "annotations": {"priority": 1}});
        let odd = json!({"type": "text", "text": "a", "_meta": null, "other": 1});
        let content = |value| serde_json::from_value::<Content>(value).expect("content");
        let with_meta = CallToolResult {
            meta: Some(Map::new()),
            ..CallToolResult::text("a")
        };
        for result in [
            CallToolResult::text("a \"b\"\n"),
            CallToolResult::error("no"),
            CallToolResult::default(),
            CallToolResult::structured(json!({"a": 1})),
            CallToolResult::new([Content::text("a"), Content::text("b")]),
            CallToolResult::new([content(annotated)]),
            CallToolResult::new([content(odd)]),
            with_meta,
        ] {
            let expected = serde_json::to_vec(&result).expect("JSON");
            let mut json = Vec::new();
            result.write_json(&mut json).expect("JSON");
            assert_eq!(json, expected);
        }
    }

    #[test]
    fn results_have_the_form_that_the_cli_accepts() {
        let form = |result: CallToolResult| serde_json::to_value(result).expect("JSON");
        assert_eq!(
            form(CallToolResult::text("5")),
            json!({"content": [{"type": "text", "text": "5"}]})
        );
        assert_eq!(
            form(CallToolResult::error("no")),
            json!({"content": [{"type": "text", "text": "no"}], "isError": true})
        );
        assert_eq!(form(CallToolResult::default()), json!({"content": []}));
        assert_eq!(
            form(CallToolResult::structured(json!({"a": 1}))),
            json!({"content": [], "structuredContent": {"a": 1}})
        );
        assert_eq!(
            form(CallToolResult::new([Content::image("image/png", "AA==")])),
            json!({"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]})
        );
    }
}
