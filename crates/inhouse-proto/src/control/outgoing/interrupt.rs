use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

/// Stops the running turn.
///
/// The turn still ends with a result, of subtype `error_during_execution`. Nothing happens when
/// no turn runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Whether to drop the prompts that wait for their turn, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_queued: Option<bool>,
}

impl Interrupt {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to drop the prompts that wait for their turn, too.
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

/// What became of the prompts that waited.
///
/// Only prompts that were sent with a uuid are listed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InterruptReply {
    /// The uuids of prompts that will still run; absent from old CLIs.
    pub still_queued: Option<Vec<String>>,
    /// The uuids of prompts that were dropped; absent unless asked for.
    pub cancelled: Option<Vec<String>>,
}

/// Takes back a prompt that has not started yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CancelAsyncMessage {
    /// The uuid that the prompt was sent with.
    pub message_uuid: String,
}

impl CancelAsyncMessage {
    /// Creates the request.
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

/// Whether the prompt was taken back.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CancelAsyncMessageReply {
    /// False when it had started, or was never there.
    pub cancelled: bool,
}
