use serde_json::Value;

/// A request that the model received.
///
/// Accessors of body parts return an empty string, an empty list or `None` if the body has no such part;
/// [`body`](ModelRequest::body) returns everything.
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

/// The result of a tool as the model received it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the tool call.
    pub id: String,
    /// The text of the result; several text blocks are joined by line breaks.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ModelRequest {
    /// Creates the request of a conversation that did not come over HTTP.
    pub(crate) fn in_process(body: Value) -> Self {
        Self {
            kind: RequestKind::Conversation,
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            query: None,
            headers: Vec::new(),
            body_length: body.to_string().len(),
            body,
        }
    }

    /// Returns the purpose of the request.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        self.kind
    }

    /// Returns the HTTP method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the path, without the query string.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the query string, without the question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns the value of a header; the name is case-insensitive.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all headers in order, with names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the id of the subagent that sent the request, or `None` for the main loop.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        self.header("x-claude-code-agent-id")
    }

    /// Returns the whole body; `Null` if there is none or it is not JSON.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// Returns the name of the requested model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Returns whether the answer is to be streamed.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }

    /// Returns the system prompt; several blocks are joined by line breaks.
    #[must_use]
    pub fn system_text(&self) -> String {
        text_of(&self.body["system"])
    }

    /// Returns the messages of the conversation so far.
    ///
    /// CLI 2.1.325 also puts messages with the role `system` among them.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        list(&self.body["messages"])
    }

    /// Returns the names of the offered tools.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"])
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect()
    }

    /// Returns the text of the last user message that has any.
    ///
    /// The `<system-reminder>` blocks that the CLI adds are left out; several blocks are joined by line breaks.
    #[must_use]
    pub fn last_user_text(&self) -> Option<String> {
        self.user_contents().rev().find_map(|content| {
            let kept: Vec<&str> = texts(content)
                .into_iter()
                .filter(|text| !is_reminder(text))
                .collect();
            (!kept.is_empty()).then(|| kept.join("\n"))
        })
    }

    /// Returns the tool results of the whole conversation, oldest first.
    #[must_use]
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.user_contents()
            .flat_map(list)
            .filter_map(ToolResult::from_block)
            .collect()
    }

    /// Describes the request by the last thing that the model was sent.
    pub(super) fn summary(&self) -> String {
        let last = self.messages().last().map(|message| &message["content"]);
        let result = last.and_then(|content| list(content).iter().find_map(ToolResult::from_block));
        match (result, self.last_user_text()) {
            (Some(result), _) => format!("after the result of a tool: {:?}", result.text),
            (None, Some(text)) => format!("after the prompt: {text:?}"),
            (None, None) => format!("{} {}", self.method, self.path),
        }
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

/// Returns the texts of a content, which is a string or a list of blocks.
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

/// The purpose of a request to the model, derived from its method, path and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestKind {
    /// A turn of a conversation: the main loop, a subagent, a compaction, or a retry of one of them.
    Conversation,
    /// A request of the CLI for itself, without tools and with a schema for the answer, such as a session title.
    Structured,
    /// A token count: `POST /v1/messages/count_tokens`.
    CountTokens,
    /// A reachability check: `HEAD /`.
    Reachability,
    /// A request that the scripted model does not know.
    Unknown,
}

impl RequestKind {
    pub(super) fn of(method: &str, path: &str, body: &Value) -> Self {
        match (method, path) {
            ("POST", "/v1/messages") if is_structured(body) => Self::Structured,
            ("POST", "/v1/messages") => Self::Conversation,
            ("POST", "/v1/messages/count_tokens") => Self::CountTokens,
            ("HEAD", "/") => Self::Reachability,
            _ => Self::Unknown,
        }
    }
}

/// Checks both tools and schema: a main loop with `--json-schema` offers tools, and one with `--tools=` has no schema.
fn is_structured(body: &Value) -> bool {
    let offers_tools = body["tools"]
        .as_array()
        .is_some_and(|tools| !tools.is_empty());
    !offers_tools && body["output_config"]["format"].is_object()
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

    #[test]
    fn conversation_without_tools_is_still_a_conversation() {
        let kind = |body| RequestKind::of("POST", "/v1/messages", &body);
        let format = json!({ "format": { "type": "json_schema", "schema": {} } });
        assert_eq!(kind(json!({ "tools": [] })), RequestKind::Conversation);
        assert_eq!(
            kind(json!({ "tools": [], "output_config": format })),
            RequestKind::Structured
        );
        let both = json!({ "tools": [{ "name": "Bash" }], "output_config": format });
        assert_eq!(kind(both), RequestKind::Conversation);
    }
}
