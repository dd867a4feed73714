use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

/// Request to stop the running turn.
///
/// The turn still ends with a result, of subtype `error_during_execution`. The request has no effect if no turn is
/// running.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Whether queued prompts are cancelled as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_queued: Option<bool>,
}

impl Interrupt {
    /// Creates a request without optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether queued prompts are cancelled as well.
    #[must_use]
    pub fn cancel_queued(mut self, cancel_queued: bool) -> Self {
        self.cancel_queued = Some(cancel_queued);
        self
    }
}

impl ControlRequest for Interrupt {
    const SUBTYPE: &'static str = "interrupt";
    type Reply = InterruptReply;
}

/// The reply to [`Interrupt`]: the prompts that were queued.
///
/// Only prompts that were sent with a uuid are listed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InterruptReply {
    /// Uuids of the prompts that will still run; `None` with old CLIs.
    pub still_queued: Option<Vec<String>>,
    /// Uuids of the prompts that were cancelled; `None` unless the request had `cancel_queued`.
    pub cancelled: Option<Vec<String>>,
}

/// Request to cancel a prompt that has not started yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CancelAsyncMessage {
    /// The uuid that the prompt was sent with.
    pub message_uuid: String,
}

impl CancelAsyncMessage {
    /// Creates a request for the prompt that was sent with this uuid.
    #[must_use]
    pub fn new(message_uuid: impl Into<String>) -> Self {
        Self {
            message_uuid: message_uuid.into(),
        }
    }
}

impl ControlRequest for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Reply = CancelAsyncMessageReply;
}

/// The reply to [`CancelAsyncMessage`]: whether the prompt was cancelled.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CancelAsyncMessageReply {
    /// Whether the prompt was cancelled; `false` if it had started or does not exist.
    pub cancelled: bool,
}
