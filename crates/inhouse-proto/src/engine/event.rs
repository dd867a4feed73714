use bytes::Bytes;

use super::{Frame, Ticket};
use crate::control::IncomingRequest;
use crate::control::outgoing::SlashCommand;
use crate::id::RequestId;
use crate::message::SessionState;

/// An event that an [`Engine`](super::Engine) reports to its owner.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A message for the reader of the conversation.
    Message(Frame),
    /// The CLI sent a request. The ticket is needed to answer it.
    Request(Ticket, IncomingRequest),
    /// The CLI cancelled a request. The handler may stop, and no answer is sent.
    Withdrawn(Ticket),
    /// A request of the host has completed.
    Reply {
        /// The id of the request.
        id: RequestId,
        /// The outcome of the request.
        outcome: Outcome,
    },
    /// The id of the session, which the CLI sends at the start of every turn.
    Session(String),
    /// The slash commands of the session have changed (`commands_changed`).
    Commands(Vec<SlashCommand>),
    /// The state of the session has changed (`session_state_changed`).
    State(SessionState),
    /// The run that the last prompt started has ended. The CLI does nothing more until the next prompt.
    RunEnded {
        /// Whether a result was received; false if it was lost.
        answered: bool,
    },
    /// Entries of the transcript for a session store (`transcript_mirror`).
    Transcript(Frame),
    /// A condition that is worth logging.
    Notice(Notice),
}

/// The outcome of a request of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The request succeeded. The payload is JSON text; the CLI often sends none.
    Success(Option<Bytes>),
    /// The CLI refused the request.
    Refused {
        /// Reason for the refusal, as the CLI wrote it.
        message: String,
        /// Machine-readable error code; `None` if the CLI sent none.
        code: Option<String>,
    },
    /// The deadline passed. The request has been cancelled.
    TimedOut,
}

impl Notice {
    /// Returns whether a skipped line is a `transcript_mirror` frame, as far as its start shows.
    #[must_use]
    pub fn is_of_transcript(&self) -> bool {
        match self {
            Self::NotJson { sample, .. } | Self::TooLong { sample, .. } => {
                sample.contains(r#""transcript_mirror""#)
            }
            _ => false,
        }
    }
}

/// A condition that the engine reports and then ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A line that is empty or has only whitespace.
    Blank,
    /// A line that is not a JSON object.
    NotJson {
        /// Length of the line in bytes.
        bytes: u64,
        /// Start of the line, as text.
        sample: String,
    },
    /// A line that exceeds [`Config::max_line`](super::Config::max_line).
    TooLong {
        /// Length of the line in bytes.
        bytes: u64,
        /// Start of the line, as text.
        sample: String,
    },
    /// A heartbeat of the CLI (`keep_alive`).
    KeepAlive {
        /// The start-up step that the CLI has reached; `None` if the heartbeat has none.
        startup_mark: Option<String>,
    },
    /// A request with the id of a request that is still open. It gets no separate answer.
    DuplicateRequest {
        /// The id of both requests.
        request_id: String,
    },
    /// A reply to a request that is not open, because it was cancelled or never sent.
    UnmatchedReply {
        /// The id of the request in the reply.
        request_id: String,
    },
    /// A control frame without a member that is needed to route it.
    MalformedControl {
        /// Start of the line, as text.
        sample: String,
    },
}
