use bytes::Bytes;

use super::{Frame, SessionState, Ticket};
use crate::control::IncomingRequest;
use crate::id::RequestId;

/// What an [`Engine`](super::Engine) reports to its owner.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A message for whoever reads the conversation.
    Message(Frame),
    /// The CLI asks something; the ticket is needed to answer.
    Request(Ticket, IncomingRequest),
    /// The CLI has withdrawn what it asked: the handler may stop, there is nothing to answer.
    Withdrawn(Ticket),
    /// What became of a request of the host.
    Reply {
        /// The request.
        id: RequestId,
        /// Its fate.
        outcome: Outcome,
    },
    /// The session's id, which the CLI tells at the beginning of every turn.
    Session(String),
    /// The session's state as the CLI reports it for the host alone.
    State(SessionState),
    /// The run that began with the last prompt has ended: nothing more is to be expected without
    /// another prompt.
    RunEnded {
        /// Whether a result was read; false when it was lost.
        answered: bool,
    },
    /// Entries of a transcript, for a session store.
    Transcript(Frame),
    /// Something worth a line in a log.
    Notice(Notice),
}

/// What became of a request of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The CLI agreed; its payload as JSON text, which is often absent.
    Success(Option<Bytes>),
    /// The CLI refused.
    Refused {
        /// The CLI's words.
        message: String,
        /// A machine-readable code.
        code: Option<String>,
    },
    /// The deadline passed; the request has been withdrawn.
    TimedOut,
}

/// Something survivable that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A line without content.
    Blank,
    /// A line that is not a JSON object.
    NotJson {
        /// Its length.
        bytes: u64,
        /// How it began.
        sample: String,
    },
    /// A line over the limit.
    TooLong {
        /// Its length.
        bytes: u64,
        /// How it began.
        sample: String,
    },
    /// A heartbeat, with the name of a start-up step if it carried one.
    KeepAlive {
        /// The step that the CLI has reached.
        startup_mark: Option<String>,
    },
    /// A request with the id of one that is still open: the answer to the first serves both.
    DuplicateRequest {
        /// The id.
        request_id: String,
    },
    /// An answer to no request that is open: it was withdrawn, or never made.
    UnmatchedReply {
        /// The id.
        request_id: String,
    },
    /// A control frame that lacks what it needs to be routed.
    MalformedControl {
        /// How it began.
        sample: String,
    },
}
