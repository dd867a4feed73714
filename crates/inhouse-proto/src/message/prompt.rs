use serde::{Serialize, Serializer};

use super::{ContentBlock, MessageContent, MessageOrigin, Priority};

/// A prompt, as the host writes it to the CLI.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::message::{ContentBlock, ImageBlock, Priority, Prompt};
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
    /// The content blocks of the prompt.
    pub content: Vec<ContentBlock>,
    /// The session that the prompt is for; empty for the session that the process runs.
    pub session_id: String,
    /// The id of the prompt, chosen by the host.
    pub uuid: Option<String>,
    /// The position at which the prompt joins the queue.
    pub priority: Option<Priority>,
    /// Whether a program generated the prompt instead of a person typing it.
    pub synthetic: Option<bool>,
    /// The origin of the prompt; `None` counts as unattributed.
    pub origin: Option<MessageOrigin>,
    /// Whether the prompt starts a turn.
    pub should_query: Option<bool>,
    /// Time at which the prompt was created, in ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the CLI uses the text verbatim, without slash commands and file references.
    pub client_composed: bool,
    /// Pastes that were removed from the text.
    pub pasted_content: Vec<MessageContent>,
    /// Pastes that are still part of the text.
    pub inline_pastes: Vec<String>,
}

impl Prompt {
    /// Creates a prompt from content blocks.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::{ContentBlock, Prompt};
    ///
    /// let prompt = Prompt::new([ContentBlock::text("What is"), ContentBlock::text("this?")]);
    /// assert_eq!(prompt.content.len(), 2);
    /// ```
    #[must_use]
    pub fn new(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self {
            content: content.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Appends a content block.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::{ImageBlock, Prompt};
    ///
    /// let prompt = Prompt::from("What is this?").block(ImageBlock::url("https://example.com/cat.png"));
    /// assert_eq!(prompt.content.len(), 2);
    /// ```
    #[must_use]
    pub fn block(mut self, block: impl Into<ContentBlock>) -> Self {
        self.content.push(block.into());
        self
    }

    /// Sets the session, for hosts that run several.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Go on.").session_id("4f0b1c1e-2a7a-4c0e-9d4f-6f1f3a1f2b30");
    /// assert_eq!(serde_json::to_value(&prompt)?["session_id"], "4f0b1c1e-2a7a-4c0e-9d4f-6f1f3a1f2b30");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = session_id.into();
        self
    }

    /// Sets the id of the prompt, a UUID; a random one unless set.
    ///
    /// The entry of the prompt in the transcript has this id, and so has the member `user_message_uuid` of its result.
    /// The id is needed to cancel a queued prompt and to rewind files to the prompt.
    ///
    /// The CLI ignores a prompt whose id it has read before, without any message (2.1.325). So a prompt can be sent again
    /// when it is not known whether it arrived; but a turn that waits for the answer to an ignored prompt has no end.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Deploy.").uuid("0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1");
    /// assert_eq!(serde_json::to_value(&prompt)?["uuid"], "0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Sets the position at which the prompt joins the queue while a turn runs.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::{Priority, Prompt};
    ///
    /// let prompt = Prompt::from("Stop, and run the tests first.").priority(Priority::Now);
    /// assert_eq!(serde_json::to_value(&prompt)?["priority"], "now");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets whether a program generated the prompt instead of a person typing it.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("The build has failed.").synthetic(true);
    /// assert_eq!(serde_json::to_value(&prompt)?["isSynthetic"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn synthetic(mut self, synthetic: bool) -> Self {
        self.synthetic = Some(synthetic);
        self
    }

    /// Sets the origin of the prompt.
    ///
    /// A prompt without an origin counts as unattributed and fails the checks by which the CLI requires a person. A
    /// host that forwards typed text should set [`MessageOrigin::Human`].
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::{MessageOrigin, Prompt};
    ///
    /// let prompt = Prompt::from("Deploy.").origin(MessageOrigin::Human);
    /// assert_eq!(serde_json::to_value(&prompt)?["origin"]["kind"], "human");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn origin(mut self, origin: MessageOrigin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets whether the prompt starts a turn.
    ///
    /// With `false`, the prompt is only added to the transcript and is merged into the next prompt that starts a turn.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("The user has opened main.rs.").should_query(false);
    /// assert_eq!(serde_json::to_value(&prompt)?["shouldQuery"], false);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn should_query(mut self, should_query: bool) -> Self {
        self.should_query = Some(should_query);
        self
    }

    /// Sets the time at which the prompt was created, in ISO 8601.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Good morning.").timestamp("2026-01-01T08:00:00Z");
    /// assert_eq!(serde_json::to_value(&prompt)?["timestamp"], "2026-01-01T08:00:00Z");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn timestamp(mut self, timestamp: impl Into<String>) -> Self {
        self.timestamp = Some(timestamp.into());
        self
    }

    /// Makes the CLI use the text verbatim: `@path` and slash commands are not expanded, and no attachments are added
    /// at the start of the turn.
    ///
    /// Requires CLI 2.1.248 or newer.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Explain the path @src/main.rs.").client_composed();
    /// assert_eq!(serde_json::to_value(&prompt)?["client_composed"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn client_composed(mut self) -> Self {
        self.client_composed = true;
        self
    }

    /// Adds a paste that was removed from the text. The CLI uses only the text of the paste.
    ///
    /// The CLI ignores pastes above 1,000 entries and blocks.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Explain this error.").pasted_content("error[E0382]: use of moved value");
    /// assert_eq!(serde_json::to_value(&prompt)?["pasted_content"][0], "error[E0382]: use of moved value");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn pasted_content(mut self, paste: impl Into<MessageContent>) -> Self {
        self.pasted_content.push(paste.into());
        self
    }

    /// Adds a paste that is still part of the text, so that the CLI does not treat it as typed.
    ///
    /// The CLI looks only for the first 100 pastes that are not blank.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Prompt;
    ///
    /// let prompt = Prompt::from("Explain /etc/hosts, please.").inline_paste("/etc/hosts");
    /// assert_eq!(serde_json::to_value(&prompt)?["inline_pastes"][0], "/etc/hosts");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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

/// The line that is written to the CLI.
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
    pasted_content: &'a [MessageContent],
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
    fn string_prompt_is_sent_as_one_text_block() {
        assert_eq!(
            serde_json::to_value(Prompt::from("hi")).expect("prompts serialize to JSON"),
            json!({
                "type": "user",
                "session_id": "",
                "parent_tool_use_id": null,
                "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            })
        );
    }

    #[test]
    fn options_use_their_wire_names() {
        let input = Prompt::from("hi")
            .session_id("s")
            .uuid("u")
            .priority(Priority::Later)
            .synthetic(true)
            .origin(MessageOrigin::Human)
            .should_query(false)
            .timestamp("2026-01-01T00:00:00Z")
            .client_composed()
            .pasted_content("a")
            .pasted_content(vec![ContentBlock::text("b")])
            .inline_paste("c");
        assert_eq!(
            serde_json::to_value(input).expect("prompts serialize to JSON"),
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
