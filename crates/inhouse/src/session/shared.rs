use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use inhouse_proto::control::outgoing::InitializeReply;

use crate::driver::SessionEnd;
use crate::error::{Error, ErrorKind};
use crate::mcp::Bridge;
use crate::resume::StoredPrompts;

/// The state of a session that the driver and every handle share.
pub(crate) struct Shared {
    pub(crate) pid: Option<u32>,
    pub(crate) verbatim_prompts: bool,
    pub(crate) bridge: Arc<Bridge>,
    /// The prompts of a resumed session; `None` without a store.
    pub(crate) prompts: Option<Arc<StoredPrompts>>,
    id: Mutex<Option<String>>,
    initialized: OnceLock<InitializeReply>,
    end: OnceLock<SessionEnd>,
    next_key: AtomicU64,
}

impl Shared {
    pub(super) fn new(
        pid: Option<u32>,
        verbatim_prompts: bool,
        bridge: Arc<Bridge>,
        prompts: Option<Arc<StoredPrompts>>,
    ) -> Self {
        Self {
            pid,
            verbatim_prompts,
            bridge,
            prompts,
            id: Mutex::default(),
            initialized: OnceLock::new(),
            end: OnceLock::new(),
            next_key: AtomicU64::new(0),
        }
    }

    /// Returns a new key for a control call.
    pub(crate) fn next_key(&self) -> u64 {
        self.next_key.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn set_initialized(&self, reply: InitializeReply) {
        // Never set before: a session is initialized once.
        let _ = self.initialized.set(reply);
    }

    /// Returns the reply to `initialize`; an empty one for a handler that is called before it.
    pub(crate) fn initialized(&self) -> &InitializeReply {
        static EMPTY: LazyLock<InitializeReply> = LazyLock::new(|| {
            serde_json::from_str("{}").expect("every member of the reply is optional")
        });
        self.initialized.get().unwrap_or(&EMPTY)
    }

    /// Returns the id of the session, which `/clear` changes.
    pub(crate) fn session_id(&self) -> Option<String> {
        self.lock_id().clone()
    }

    pub(crate) fn set_session_id(&self, id: String) {
        *self.lock_id() = Some(id);
    }

    /// Returns how the session ended, or `None` while it runs.
    pub(crate) fn ended(&self) -> Option<&SessionEnd> {
        self.end.get()
    }

    pub(crate) fn set_ended(&self, end: SessionEnd) {
        // Never set before: the driver ends once.
        let _ = self.end.set(end);
    }

    /// Returns the error of a call that the ended session cannot serve.
    pub(crate) fn cause_of_end(&self) -> Error {
        match self.ended() {
            Some(end) => end.cause.clone(),
            None => driver_dropped(),
        }
    }

    fn lock_id(&self) -> MutexGuard<'_, Option<String>> {
        self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for a session whose driver task was dropped before the session ended.
pub(crate) fn driver_dropped() -> Error {
    Error::new(
        ErrorKind::Closed,
        "the session was dropped before it ended; was the runtime that it ran on shut down?",
    )
}
