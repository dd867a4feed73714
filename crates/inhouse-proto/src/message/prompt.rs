use serde::{Serialize, Serializer};

use super::{Content, ContentBlock, MessageOrigin, Priority};

/// What the host says: a prompt, as it is written to the CLI.
///
/// ```
/// use inhouse_proto::message::{ContentBlock, ImageBlock, Priority, Prompt};
///
/// let plain = Prompt::from("What time is it?");
/// assert_eq!(plain.content, [ContentBlock::text("What time is it?")]);
///
/// let rich = Prompt::new([
///     ContentBlock::text("What is this?"),
///     ImageBlock::url("https://example.com/cat.png").into(),
/// ])
/// .uuid("0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1")
/// .priority(Priority::Next);
/// assert_eq!(serde_json::to_value(&rich)?["priority"], "next");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// What is said.
    pub content: Vec<ContentBlock>,
    /// The session; empty for the one that the process runs.
    pub session_id: String,
    /// The id of the prompt, chosen by the host.
    pub uuid: Option<String>,
    /// Where it joins the queue.
    pub priority: Option<Priority>,
    /// Whether nobody typed it.
    pub synthetic: Option<bool>,
    /// Where it comes from.
    pub origin: Option<MessageOrigin>,
    /// Whether it starts a turn.
    pub should_query: Option<bool>,
    /// When it was made, as an ISO 8601 time.
    pub timestamp: Option<String>,
    /// Whether to take the text as it is.
    pub client_composed: bool,
    /// Pastes that were taken out of the text.
    pub pasted_content: Vec<Content>,
    /// Pastes that are still in the text.
    pub inline_pastes: Vec<String>,
}

impl Prompt {
    /// A prompt made of blocks.
    #[must_use]
    pub fn new(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self {
            content: content.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds a block.
    #[must_use]
    pub fn block(mut self, block: impl Into<ContentBlock>) -> Self {
        self.content.push(block.into());
        self
    }

    /// Names the session, for hosts that keep several apart.
    #[must_use]
    pub fn session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// Chooses the id of the prompt, a UUID.
    ///
    /// It comes back in `user_message_uuid` of the answer, and it is what one needs to cancel a
    /// queued prompt or to rewind files to it.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Says where the prompt joins the queue while a turn runs.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Says whether the prompt was made by a program instead of typed.
    #[must_use]
    pub fn synthetic(mut self, synthetic: bool) -> Self {
        self.synthetic = Some(synthetic);
        self
    }

    /// Says where the prompt comes from.
    ///
    /// Without it a prompt counts as unattributed, which is not enough where the CLI insists on a
    /// person: a host that forwards typed text says [`MessageOrigin::human`].
    #[must_use]
    pub fn origin(mut self, origin: MessageOrigin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Says whether the prompt starts a turn.
    ///
    /// With `false` it is only added to the transcript, and the next prompt that starts a turn takes
    /// it along.
    #[must_use]
    pub fn should_query(mut self, should_query: bool) -> Self {
        self.should_query = Some(should_query);
        self
    }

    /// Says when the prompt was made, as an ISO 8601 time.
    #[must_use]
    pub fn timestamp(mut self, timestamp: impl Into<String>) -> Self {
        self.timestamp = Some(timestamp.into());
        self
    }

    /// Has the text taken as it is: `@path` and slash commands mean nothing in it.
    ///
    /// Needs CLI 2.1.248 or newer.
    #[must_use]
    pub fn client_composed(mut self) -> Self {
        self.client_composed = true;
        self
    }

    /// Adds a paste that was taken out of the text; only its text is used.
    #[must_use]
    pub fn pasted_content(mut self, paste: impl Into<Content>) -> Self {
        self.pasted_content.push(paste.into());
        self
    }

    /// Adds a paste that is still in the text, so that it is not taken for typed.
    #[must_use]
    pub fn inline_paste(mut self, paste: impl Into<String>) -> Self {
        self.inline_pastes.push(paste.into());
        self
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::new([ContentBlock::text(text)])
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::new([ContentBlock::text(text)])
    }
}

impl From<ContentBlock> for Prompt {
    fn from(block: ContentBlock) -> Self {
        Self::new([block])
    }
}

impl From<Vec<ContentBlock>> for Prompt {
    fn from(content: Vec<ContentBlock>) -> Self {
        Self::new(content)
    }
}

impl Serialize for Prompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Line {
            kind: "user",
            session_id: &self.session_id,
            parent_tool_use_id: (),
            message: LineMessage {
                role: "user",
                content: &self.content,
            },
            uuid: self.uuid.as_deref(),
            priority: self.priority.as_ref(),
            is_synthetic: self.synthetic,
            origin: self.origin.as_ref(),
            should_query: self.should_query,
            timestamp: self.timestamp.as_deref(),
            client_composed: self.client_composed,
            pasted_content: &self.pasted_content,
            inline_pastes: &self.inline_pastes,
        }
        .serialize(serializer)
    }
}

/// The line as it stands on the wire.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    session_id: &'a str,
    parent_tool_use_id: (),
    message: LineMessage<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'a Priority>,
    #[serde(rename = "isSynthetic", skip_serializing_if = "Option::is_none")]
    is_synthetic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a MessageOrigin>,
    #[serde(rename = "shouldQuery", skip_serializing_if = "Option::is_none")]
    should_query: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    client_composed: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pasted_content: &'a [Content],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inline_pastes: &'a [String],
}

#[derive(Serialize)]
struct LineMessage<'a> {
    role: &'static str,
    content: &'a [ContentBlock],
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_is_sent_as_one_block_of_text() {
        assert_eq!(
            serde_json::to_value(Prompt::from("hi")).expect("it is JSON"),
            json!({
                "type": "user",
                "session_id": "",
                "parent_tool_use_id": null,
                "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            })
        );
    }

    #[test]
    fn every_option_has_its_name_on_the_wire() {
        let input = Prompt::from("hi")
            .session_id("s")
            .uuid("u")
            .priority(Priority::Later)
            .synthetic(true)
            .origin(MessageOrigin::human())
            .should_query(false)
            .timestamp("2026-01-01T00:00:00Z")
            .client_composed()
            .pasted_content("a")
            .pasted_content(vec![ContentBlock::text("b")])
            .inline_paste("c");
        assert_eq!(
            serde_json::to_value(input).expect("it is JSON"),
            json!({
                "type": "user",
                "session_id": "s",
                "parent_tool_use_id": null,
                "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]},
                "uuid": "u",
                "priority": "later",
                "isSynthetic": true,
                "origin": {"kind": "human"},
                "shouldQuery": false,
                "timestamp": "2026-01-01T00:00:00Z",
                "client_composed": true,
                "pasted_content": ["a", [{"type": "text", "text": "b"}]],
                "inline_pastes": ["c"],
            })
        );
    }
}
