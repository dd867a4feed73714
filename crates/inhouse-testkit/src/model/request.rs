use serde_json::Value;

use super::RequestKind;

/// One request as the model got it, with accessors for what tests ask about.
///
/// Accessors of the body answer with nothing (an empty string, an empty list, `None`) where the body has no such
/// part; [`body`](ModelRequest::body) has everything.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    pub(super) kind: RequestKind,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
    pub(super) body_length: usize,
}

/// The result of a tool as the model got it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call that this answers.
    pub id: String,
    /// The text of the result; several blocks of text are joined by line breaks.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ModelRequest {
    /// What the request is for.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        self.kind
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path, without the query string.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The query string, without the question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// The value of a header; the case of the name does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// All headers, names in lower case, in the order in which they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The id of the subagent that asks, or `None` for the main loop.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        self.header("x-claude-code-agent-id")
    }

    /// The whole body; `Null` when there was none or it was not JSON.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// The name of the model that was asked.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Whether the answer is to be streamed.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }

    /// The system prompt; several blocks are joined by line breaks.
    #[must_use]
    pub fn system_text(&self) -> String {
        text_of(&self.body["system"])
    }

    /// The messages of the conversation so far.
    ///
    /// Newer CLIs put messages with the role `system` among them.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        list(&self.body["messages"])
    }

    /// The names of the tools on offer.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"])
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect()
    }

    /// What the user said last.
    ///
    /// This is the text of the newest user message that has any, without the `<system-reminder>` blocks that the CLI puts
    /// beside it; several blocks are joined by line breaks.
    #[must_use]
    pub fn last_user_text(&self) -> Option<String> {
        self.user_contents().rev().find_map(|content| {
            let said: Vec<&str> = texts(content)
                .into_iter()
                .filter(|text| !is_reminder(text))
                .collect();
            (!said.is_empty()).then(|| said.join("\n"))
        })
    }

    /// The results of tools in the whole conversation, oldest first.
    #[must_use]
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.user_contents()
            .flat_map(list)
            .filter_map(ToolResult::from_block)
            .collect()
    }

    fn user_contents(&self) -> impl DoubleEndedIterator<Item = &Value> {
        let of_user = self
            .messages()
            .iter()
            .filter(|message| message["role"] == "user");
        of_user.map(|message| &message["content"])
    }
}

impl ToolResult {
    fn from_block(block: &Value) -> Option<Self> {
        (block["type"] == "tool_result").then(|| Self {
            id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
            text: text_of(&block["content"]),
            is_error: block["is_error"].as_bool().unwrap_or_default(),
        })
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a content, which the API allows to be one string or a list of blocks.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        _ => list(content)
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect(),
    }
}

fn text_of(content: &Value) -> String {
    texts(content).join("\n")
}

fn is_reminder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(body: Value) -> ModelRequest {
        ModelRequest {
            kind: RequestKind::Conversation,
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            query: None,
            headers: vec![("x-api-key".to_owned(), "dummy".to_owned())],
            body,
            body_length: 0,
        }
    }

    #[test]
    fn last_user_text_skips_reminders_and_tool_results() {
        let request = request(json!({ "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "<system-reminder>\ndate\n</system-reminder>\n" },
                { "type": "text", "text": "Hello" },
            ]},
            { "role": "system", "content": "deferred tools" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1" }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_1", "is_error": true,
                  "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
            ]},
        ]}));
        assert_eq!(request.last_user_text().as_deref(), Some("Hello"));
        let expected = ToolResult {
            id: "toolu_1".to_owned(),
            text: "a\nb".to_owned(),
            is_error: true,
        };
        assert_eq!(request.tool_results(), [expected]);
    }

    #[test]
    fn absent_parts_are_empty() {
        let request = request(Value::Null);
        assert_eq!((request.model(), request.is_stream()), ("", false));
        assert!(request.messages().is_empty() && request.tools().is_empty());
        assert_eq!(request.last_user_text(), None);
        assert_eq!(request.header("X-Api-Key"), Some("dummy"));
    }
}
