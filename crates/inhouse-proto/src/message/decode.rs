use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    ActiveGoalMessage, AssistantMessage, AttachmentMessage, AuthStatusMessage,
    AutocompactStateMessage, CommandLifecycleMessage, ConversationResetMessage, Gap,
    PromptSuggestionMessage, RateLimitEvent, ResultMessage, StreamEvent, SystemMessage,
    ToolProgressMessage, ToolUseSummaryMessage, UserMessage,
};
use crate::open::{Open, Reader, Unknown};
use crate::wire::{Envelope, Skim, mend};

/// Declares [`Message`]: its variants, their tags, and how each is decoded and encoded.
macro_rules! messages {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$doc:meta])* $variant:ident ( $inner:ty ) = $tag:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$doc])* $variant($inner), )*
            /// What happens around the conversation.
            System(SystemMessage),
            /// One that this version cannot type, kept whole.
            ///
            /// Its tag is the `type`, or `type/subtype` where there is a subtype.
            Unknown(Unknown),
        }

        impl $name {
            /// The `type` on the wire.
            pub(super) fn kind(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $tag, )*
                    Self::System(_) => "system",
                    Self::Unknown(unknown) => &unknown.tag,
                }
            }

            /// The fast way.
            fn read(mut reader: Reader<'_>) -> Option<Self> {
                let message = match reader.tag("type")? {
                    $( $tag => Self::$variant(reader.value()?), )*
                    "system" => Self::System(reader.value()?),
                    _ => return None,
                };
                reader.end()?;
                // Those stand in another place.
                let untyped = matches!(message, Self::System(SystemMessage::Unknown(_)));
                (!untyped).then_some(message)
            }

            /// The patient way.
            fn open(members: Map<String, Value>) -> Self {
                let member = |name| members.get(name).and_then(Value::as_str);
                let kind = member("type").unwrap_or_default().to_owned();
                let tag = match member("subtype") {
                    Some(subtype) => format!("{kind}/{subtype}"),
                    None => kind.clone(),
                };
                let raw = Value::Object(members);
                let typed = match kind.as_str() {
                    $( $tag => Open::open(raw.clone()).map(Self::$variant), )*
                    "system" => Open::open(raw.clone()).map(Self::System),
                    _ => return Self::Unknown(Unknown::tagged(tag, raw)),
                };
                match typed {
                    // What cannot be typed is in one place, whatever its type.
                    Ok(Self::System(SystemMessage::Unknown(unknown))) => {
                        Self::Unknown(Unknown { tag, ..unknown })
                    }
                    Ok(message) => message,
                    Err(mismatch) => Self::Unknown(Unknown::misshapen(tag, raw, mismatch)),
                }
            }
        }

        $( impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        } )*

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(inner) => inner.serialize(serializer), )*
                    Self::System(message) => message.serialize(serializer),
                    Self::Unknown(unknown) => unknown.serialize(serializer),
                }
            }
        }
    };
}

messages! {
    /// One line of the CLI's output.
    ///
    /// The bodies are boxed, so that a message is cheap to move and to queue.
    ///
    /// ```
    /// use inhouse_proto::message::Message;
    ///
    /// let line = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi!"}]}}"#;
    /// let Message::Assistant(message) = Message::decode(line)? else { unreachable!() };
    /// assert_eq!(message.text(), "Hi!");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum Message {
        /// A finished piece of what the model said.
        Assistant(Box<AssistantMessage>) = "assistant",
        /// The results of tools, a prompt that the CLI put in, or the echo of one.
        User(Box<UserMessage>) = "user",
        /// The end of a turn.
        Result(Box<ResultMessage>) = "result",
        /// A message in the making.
        StreamEvent(Box<StreamEvent>) = "stream_event",
        /// A tool is still running.
        ToolProgress(Box<ToolProgressMessage>) = "tool_progress",
        /// A few words about what a row of tool calls did.
        ToolUseSummary(Box<ToolUseSummaryMessage>) = "tool_use_summary",
        /// Something beside the conversation, such as the words of a hook.
        Attachment(Box<AttachmentMessage>) = "attachment",
        /// How a login is going.
        AuthStatus(Box<AuthStatusMessage>) = "auth_status",
        /// The state of the account's rate limit changed.
        RateLimit(Box<RateLimitEvent>) = "rate_limit_event",
        /// What the user may want to say next.
        PromptSuggestion(Box<PromptSuggestionMessage>) = "prompt_suggestion",
        /// The conversation starts anew.
        ConversationReset(Box<ConversationResetMessage>) = "conversation_reset",
        /// The goal toward which the CLI keeps working changed.
        ActiveGoal(Box<ActiveGoalMessage>) = "active_goal",
        /// How near the CLI is to compacting the conversation.
        AutocompactState(Box<AutocompactStateMessage>) = "autocompact_state",
        /// A prompt was queued, started, completed or cancelled.
        CommandLifecycle(Box<CommandLifecycleMessage>) = "command_lifecycle",
        /// A place where the SDK left something out. Made by the SDK.
        Gap(Gap) = "inhouse_gap",
    }
}

impl Message {
    /// Decodes a line.
    ///
    /// The order of the members does not matter. A message of a known type in which some optional
    /// member has an unexpected shape keeps that member in `extra`; one that cannot be typed is
    /// [`Message::Unknown`]. Half a surrogate pair, which the CLI writes when it cuts a text in the
    /// middle of an emoji, becomes U+FFFD.
    ///
    /// A line that is JSON but cannot be parsed, because it is nested deeper than 128 levels or has a
    /// number that no type can hold, is [`Message::Unknown`] with its tag, and its text as `raw`. Of a
    /// result the other members are typed, and the text of such a member is in `extra`.
    ///
    /// # Errors
    /// Only when the line is not a JSON object.
    pub fn decode(line: &[u8]) -> serde_json::Result<Self> {
        match std::str::from_utf8(line) {
            Ok(text) => Self::decode_text(text),
            // It tells what is wrong.
            Err(_) => serde_json::from_slice(line).map(Self::open),
        }
    }

    /// Decodes a line that is known to be text.
    pub(crate) fn decode_text(line: &str) -> serde_json::Result<Self> {
        if let Some(message) = Self::read(Reader::new(line)) {
            return Ok(message);
        }
        let mut line = Cow::Borrowed(line);
        let mut parsed = serde_json::from_str(&line);
        if parsed.is_err()
            && let Some(mended) = mend(line.as_bytes()).and_then(|it| String::from_utf8(it).ok())
        {
            parsed = serde_json::from_str(&mended);
            line = Cow::Owned(mended);
        }
        // Unlike a value, what is ignored may be nested to any depth.
        let is_json = || serde_json::from_str::<IgnoredAny>(&line).is_ok();
        match parsed {
            Ok(members) => Ok(Self::open(members)),
            Err(error) if is_json() => Self::open_partly(&line, &error).ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// Types what can be read of a line that cannot be parsed as a whole; `None` when it is not an
    /// object.
    pub(crate) fn open_partly(line: &str, error: &serde_json::Error) -> Option<Self> {
        let envelope = Envelope::read(line)?;
        let kind = envelope.kind.unwrap_or_default();
        // The end of a turn must not be lost to its caller.
        if kind == "result"
            && let Some(result) = open_result_partly(line)
        {
            return Some(Self::Result(result));
        }
        let tag = match envelope.subtype {
            Some(subtype) => format!("{kind}/{subtype}"),
            None => kind.into_owned(),
        };
        Some(Self::Unknown(Unknown::misshapen(tag, line.into(), error)))
    }
}

/// Types the members of a result that can be parsed, and keeps the text of the others in `extra`.
fn open_result_partly(line: &str) -> Option<Box<ResultMessage>> {
    let mut members = Map::new();
    let mut unparsed = Vec::new();
    Skim::new(line).object(|skim, name| {
        let text = skim.value()?;
        match serde_json::from_str(text) {
            Ok(value) => drop(members.insert(name.to_owned(), value)),
            Err(_) => unparsed.push((name.to_owned(), Value::from(text))),
        }
        Some(())
    })?;
    let mut result = Box::<ResultMessage>::open(Value::Object(members)).ok()?;
    for (name, text) in unparsed {
        result.extra.insert(name, text);
    }
    Some(result)
}

impl From<SystemMessage> for Message {
    fn from(message: SystemMessage) -> Self {
        Self::System(message)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(Self::open(members)),
            other => Err(D::Error::custom(format_args!(
                "expected an object (Message), found {other}"
            ))),
        }
    }
}
