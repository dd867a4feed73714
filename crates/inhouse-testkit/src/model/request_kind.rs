use serde_json::Value;

/// What a request to the model is for, judged by its method, its path and its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestKind {
    /// A turn of a conversation: the main loop, a subagent, a compaction, or a retry of one of them.
    Conversation,
    /// A question of the CLI on its own account, without tools and with a schema for the answer, such as a session title.
    Structured,
    /// `POST /v1/messages/count_tokens`.
    CountTokens,
    /// `HEAD /`: is anybody there?
    Reachability,
    /// A request that the scripted model knows nothing about.
    Unknown,
}

impl RequestKind {
    pub(super) fn of(method: &str, path: &str, body: &Value) -> Self {
        match (method, path) {
            ("POST", "/v1/messages") if is_structured_question(body) => Self::Structured,
            ("POST", "/v1/messages") => Self::Conversation,
            ("POST", "/v1/messages/count_tokens") => Self::CountTokens,
            ("HEAD", "/") => Self::Reachability,
            _ => Self::Unknown,
        }
    }
}

/// A schema alone is not enough: a main loop with `--json-schema` offers tools, and one with `--tools=` has no schema.
fn is_structured_question(body: &Value) -> bool {
    let offers_tools = body["tools"]
        .as_array()
        .is_some_and(|tools| !tools.is_empty());
    !offers_tools && body["output_config"]["format"].is_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
