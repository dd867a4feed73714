use super::declare::control_request;
use crate::open::open_struct;

control_request! {
    /// Stops the running turn.
    ///
    /// The turn still ends with a result, of subtype `error_during_execution`. Nothing happens when
    /// no turn runs.
    pub struct Interrupt("interrupt") -> InterruptReply
    accepts {
        /// Whether to drop the prompts that wait for their turn, too.
        cancel_queued: bool,
    }
}

open_struct! {
    /// What became of the prompts that waited.
    ///
    /// Only prompts that were sent with a uuid are listed.
    pub struct InterruptReply {
        /// The uuids of prompts that will still run; absent from old CLIs.
        pub still_queued: Option<Vec<String>>,
        /// The uuids of prompts that were dropped; absent unless asked for.
        pub cancelled: Option<Vec<String>>,
    }
}

control_request! {
    /// Takes back a prompt that has not started yet.
    pub struct CancelAsyncMessage("cancel_async_message") -> CancelAsyncMessageReply
    requires {
        /// The uuid that the prompt was sent with.
        message_uuid: String = impl Into<String>,
    }
}

open_struct! {
    /// Whether the prompt was taken back.
    pub struct CancelAsyncMessageReply {
        /// False when it had started, or was never there.
        pub cancelled: bool,
    }
}
