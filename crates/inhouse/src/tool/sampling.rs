use inhouse_proto::mcp::Content;
use serde::{Deserialize, Serialize};

/// A request to the client's model, see [`McpClient::sample`](super::McpClient::sample).
///
/// ```
/// use inhouse::tool::{Content, SamplingRequest, SamplingRole};
///
/// let request = SamplingRequest::new("Summarize this mail: …", 200)
///     .system_prompt("Answer in one sentence.")
///     .temperature(0.2)
///     .message(SamplingRole::Assistant, Content::text("In short:"));
/// assert_eq!(request.messages.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// The largest number of tokens that the model may generate.
    pub max_tokens: u32,
    /// The system prompt; `None` leaves it to the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The temperature; `None` leaves it to the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts at which the model stops; none by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
}

/// A message of a [`SamplingRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// The author of the message.
    pub role: SamplingRole,
    /// The text, image or audio of the message.
    pub content: Content,
}

/// The author of a message in a [`SamplingRequest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SamplingRole {
    /// The user, or the tool in place of the user.
    User,
    /// The model of the client.
    Assistant,
}

/// The answer of the client's model to a [`SamplingRequest`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sampled {
    /// The content of the answer, usually one block of text.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<Content>,
    /// The name of the model that answered.
    pub model: String,
    /// The reason why the model stopped, such as `endTurn`; `None` if the client gives none.
    pub stop_reason: Option<String>,
}

impl SamplingRequest {
    /// Creates a request with one message of the user.
    ///
    /// ```
    /// use inhouse::tool::{SamplingRequest, SamplingRole};
    ///
    /// let request = SamplingRequest::new("Summarize this mail: …", 200);
    /// assert_eq!(request.max_tokens, 200);
    /// assert_eq!(request.messages[0].role, SamplingRole::User);
    /// ```
    #[must_use]
    pub fn new(prompt: impl Into<String>, max_tokens: u32) -> Self {
        Self {
            messages: Vec::new(),
            max_tokens,
            system_prompt: None,
            temperature: None,
            stop_sequences: Vec::new(),
        }
        .message(SamplingRole::User, Content::text(prompt))
    }

    /// Adds a message at the end of the conversation.
    ///
    /// ```
    /// use inhouse::tool::{Content, SamplingRequest, SamplingRole};
    ///
    /// let request = SamplingRequest::new("Name a colour.", 20)
    ///     .message(SamplingRole::Assistant, Content::text("Blue."))
    ///     .message(SamplingRole::User, Content::text("Another one."));
    /// assert_eq!(request.messages.len(), 3);
    /// ```
    #[must_use]
    pub fn message(mut self, role: SamplingRole, content: Content) -> Self {
        self.messages.push(SamplingMessage { role, content });
        self
    }

    /// Sets the system prompt, which the client may change or ignore. None by default.
    ///
    /// ```
    /// use inhouse::tool::SamplingRequest;
    ///
    /// let request = SamplingRequest::new("Name a colour.", 20).system_prompt("Answer in one word.");
    /// assert_eq!(request.system_prompt.as_deref(), Some("Answer in one word."));
    /// ```
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Sets the temperature. The client's own by default.
    ///
    /// ```
    /// use inhouse::tool::SamplingRequest;
    ///
    /// let request = SamplingRequest::new("Name a colour.", 20).temperature(0.2);
    /// assert_eq!(request.temperature, Some(0.2));
    /// ```
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets texts at which the model stops. None by default.
    ///
    /// ```
    /// use inhouse::tool::SamplingRequest;
    ///
    /// let request = SamplingRequest::new("Count.", 20).stop_sequences(["4", "four"]);
    /// assert_eq!(request.stop_sequences, ["4", "four"]);
    /// ```
    #[must_use]
    pub fn stop_sequences<T: Into<String>>(
        mut self,
        sequences: impl IntoIterator<Item = T>,
    ) -> Self {
        self.stop_sequences = sequences.into_iter().map(Into::into).collect();
        self
    }
}

impl Sampled {
    /// Returns the text of all text blocks, separated by line feeds.
    ///
    /// ```
    /// use inhouse::tool::Sampled;
    /// use serde_json::json;
    ///
    /// let answer = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Blue."}});
    /// let answer: Sampled = serde_json::from_value(answer)?;
    /// assert_eq!(answer.all_text(), "Blue.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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

/// Reads one block or a list of blocks: MCP 2025-11-25 allows both.
fn one_or_many<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<Content>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        Many(Vec<Content>),
        One(Content),
    }
    Ok(match OneOrMany::deserialize(input)? {
        OneOrMany::Many(blocks) => blocks,
        OneOrMany::One(block) => vec![block],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn request_serializes_without_absent_members() {
        let request = SamplingRequest::new("Hello", 10);
        let content = json!({"type": "text", "text": "Hello"});
        assert_eq!(
            serde_json::to_value(request).expect("JSON"),
            json!({"messages": [{"role": "user", "content": content}], "maxTokens": 10})
        );
        let request = SamplingRequest::new("Hello", 10)
            .system_prompt("Be brief.")
            .temperature(0.5)
            .stop_sequences(["END"]);
        let request = serde_json::to_value(request).expect("JSON");
        assert_eq!(request["systemPrompt"], "Be brief.");
        assert_eq!(request["temperature"], 0.5);
        assert_eq!(request["stopSequences"], json!(["END"]));
    }

    #[test]
    fn answer_has_one_block_or_several() {
        let block = json!({"type": "text", "text": "Hi"});
        for (content, text) in [
            (block.clone(), "Hi"),
            (json!([block, block]), "Hi\nHi"),
            (json!([]), ""),
        ] {
            let answer = json!({"role": "assistant", "content": content, "model": "m"});
            let answer: Sampled = serde_json::from_value(answer).expect("an answer");
            assert_eq!(answer.all_text(), text);
            assert_eq!(answer.stop_reason, None);
        }
    }
}
