use std::borrow::Cow;

use serde::de::Error as DeError;
use serde::ser::Error as SerError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{
    ActiveGoalMessage, AssistantMessage, AttachmentMessage, AuthStatusMessage,
    AutocompactStateMessage, CommandLifecycleMessage, ConversationResetMessage, Gap,
    PromptSuggestionMessage, RateLimitEvent, Received, ResultMessage, StreamEvent, SystemMessage,
    ToolProgressMessage, ToolUseSummaryMessage, UserMessage, received_variants,
};
use crate::wire::Text;
use crate::wire::string_member;

/// A line of the CLI's output, decoded by its type.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::message::Message;
///
/// let line = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi!"}]}}"#;
/// let Message::Assistant(message) = Message::decode(line)? else { unreachable!() };
/// assert_eq!(message.text(), "Hi!");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// A finished content block of the model's answer.
    Assistant(Received<AssistantMessage>),
    /// Tool results, a prompt that the CLI inserted, or the echo of a prompt.
    User(Received<UserMessage>),
    /// The end of a turn, with the outcome and the totals.
    Result(Received<ResultMessage>),
    /// An event of the API's stream while a message is being written.
    StreamEvent(Received<StreamEvent>),
    /// A tool call that is still running.
    ToolProgress(Received<ToolProgressMessage>),
    /// A short summary of several consecutive tool calls.
    ToolUseSummary(Received<ToolUseSummaryMessage>),
    /// Additional information beside the conversation, such as the output of a hook.
    Attachment(Received<AttachmentMessage>),
    /// The progress of a login.
    AuthStatus(Received<AuthStatusMessage>),
    /// A change of the account's rate limit state.
    RateLimit(Received<RateLimitEvent>),
    /// A suggestion for the user's next prompt.
    PromptSuggestion(Received<PromptSuggestionMessage>),
    /// The start of a new conversation.
    ConversationReset(Received<ConversationResetMessage>),
    /// A change of the goal that the CLI works toward without further prompts.
    ActiveGoal(Received<ActiveGoalMessage>),
    /// The distance to automatic compaction of the conversation.
    AutocompactState(Received<AutocompactStateMessage>),
    /// A change of a prompt's state: queued, started, completed or cancelled.
    CommandLifecycle(Received<CommandLifecycleMessage>),
    /// A place where the SDK omitted lines. Created by the SDK.
    Gap(Received<Gap>),
    /// A system message, such as a task, hook or session event.
    System(SystemMessage),
    /// A message that this version cannot decode into a typed form.
    Unknown(Received<UnknownMessage>),
}

/// The reason why a message could not be decoded into a typed form. The message itself is [`Message::raw`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownMessage {
    /// The `type` of the message, or `type/subtype`; empty if it has none.
    pub tag: String,
    /// Reason why a message with a known tag could not be decoded; `None` if the tag itself is unknown.
    pub reason: Option<String>,
}

received_variants! { Message {
    "assistant" => Assistant,
    "user" => User,
    "result" => Result,
    "stream_event" => StreamEvent,
    "tool_progress" => ToolProgress,
    "tool_use_summary" => ToolUseSummary,
    "attachment" => Attachment,
    "auth_status" => AuthStatus,
    "rate_limit_event" => RateLimit,
    "prompt_suggestion" => PromptSuggestion,
    "conversation_reset" => ConversationReset,
    "active_goal" => ActiveGoal,
    "autocompact_state" => AutocompactState,
    "command_lifecycle" => CommandLifecycle,
    "inhouse_gap" => Gap,
} }

impl Message {
    /// Decodes a line.
    ///
    /// The order of the members does not matter. An optional member of the wrong shape is `None`; a message without a
    /// required member is [`Message::Unknown`]. A lone surrogate, which the CLI writes if it cuts a text in the middle
    /// of an emoji, becomes U+FFFD. [`raw`](Self::raw) always returns the original line.
    ///
    /// # Errors
    /// Returns an error if the line is not a JSON object.
    pub fn decode(line: &[u8]) -> serde_json::Result<Self> {
        let line = std::str::from_utf8(line).map_err(DeError::custom)?;
        Self::decode_line(&Text::from(line.to_owned()))
    }

    /// Decodes a line; the message shares its buffer.
    pub(crate) fn decode_line(line: &Text) -> serde_json::Result<Self> {
        let kind = string_member(line, "type").unwrap_or_default();
        let decoded = match &*kind {
            "system" => {
                let subtype = string_member(line, "subtype").unwrap_or_default();
                SystemMessage::decode_tagged(&subtype, line)
                    .map(|message| message.map(Self::System))
            }
            kind => Self::decode_tagged(kind, line),
        };
        let reason = match decoded {
            Some(Ok(message)) => return Ok(message),
            Some(Err(error)) => Some(error.to_string()),
            None => None,
        };
        let IsObject = serde_json::from_str(line)?;
        let tag = tag_of(line);
        Ok(Self::Unknown(Received::new(
            line.clone(),
            UnknownMessage { tag, reason },
        )))
    }

    /// Returns the line as the CLI wrote it.
    #[must_use]
    pub fn raw(&self) -> &str {
        match self {
            Self::System(message) => message.raw(),
            Self::Unknown(unknown) => unknown.raw(),
            typed => typed.received_line(),
        }
    }

    /// Returns the session that the message belongs to; `None` if the line has no session id.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        id_member(self.raw(), "session_id")
    }

    /// Returns the id of the message; `None` if it has none.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        id_member(self.raw(), "uuid")
    }

    /// Returns the tool call that started the subagent the message comes from; `None` in the main conversation.
    #[must_use]
    pub fn parent_tool_use_id(&self) -> Option<&str> {
        id_member(self.raw(), "parent_tool_use_id")
    }

    /// Returns the `type` of the message, or `type/subtype` if it has a subtype.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::Message;
    ///
    /// let message = Message::decode(br#"{"type":"system","subtype":"status","status":null}"#)?;
    /// assert_eq!(message.tag(), "system/status");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn tag(&self) -> String {
        tag_of(self.raw())
    }
}

impl From<SystemMessage> for Message {
    fn from(message: SystemMessage) -> Self {
        Self::System(message)
    }
}

impl From<Gap> for Message {
    fn from(gap: Gap) -> Self {
        let line = serde_json::to_string(&gap).expect("strings and numbers serialize");
        Self::Gap(Received::new(line.into(), gap))
    }
}

/// Writes the line exactly as it was received.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.raw()).map_err(SerError::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::decode(raw.get().as_bytes()).map_err(DeError::custom)
    }
}

/// Checks that a text is a JSON object, without a limit on its depth.
struct IsObject;

impl<'de> Deserialize<'de> for IsObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        match raw.get().starts_with('{') {
            true => Ok(Self),
            false => Err(DeError::custom("expected an object")),
        }
    }
}

fn tag_of(line: &str) -> String {
    let kind = string_member(line, "type").unwrap_or_default();
    match string_member(line, "subtype") {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind.into_owned(),
    }
}

/// Returns a member that holds an id. Ids contain no characters that JSON escapes, so the id is borrowed.
fn id_member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    match string_member(line, name)? {
        Cow::Borrowed(id) => Some(id),
        Cow::Owned(_) => None,
    }
}
