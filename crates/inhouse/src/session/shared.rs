use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use inhouse_proto::control::outgoing::InitializeReply;

use crate::driver::SessionEnd;
use crate::error::{Error, ErrorKind};
use crate::mcp::Bridge;

/// What everyone who holds a session knows of it.
pub(crate) struct Shared {
    pub(crate) pid: Option<u32>,
    pub(crate) verbatim_prompts: bool,
    pub(crate) bridge: Arc<Bridge>,
    id: Mutex<Option<String>>,
    initialized: OnceLock<InitializeReply>,
    end: OnceLock<SessionEnd>,
    keys: AtomicU64,
}

impl Shared {
    pub(super) fn new(pid: Option<u32>, verbatim_prompts: bool, bridge: Arc<Bridge>) -> Self {
        Self {
            pid,
            verbatim_prompts,
            bridge,
            id: Mutex::default(),
            initialized: OnceLock::new(),
            end: OnceLock::new(),
            keys: AtomicU64::new(0),
        }
    }

    pub(crate) fn next_key(&self) -> u64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn set_initialized(&self, reply: InitializeReply) {
        // Only set here, once.
        let _ = self.initialized.set(reply);
    }

    /// What the CLI said of itself; nothing yet for a handler that it calls before it does.
    pub(crate) fn initialized(&self) -> &InitializeReply {
        static NOTHING: LazyLock<InitializeReply> = LazyLock::new(|| {
            serde_json::from_str("{}").expect("no member of the reply is required")
        });
        self.initialized.get().unwrap_or(&NOTHING)
    }

    /// The id of the session, which `/clear` changes.
    pub(crate) fn id(&self) -> Option<String> {
        self.lock_id().clone()
    }

    pub(crate) fn set_session_id(&self, id: String) {
        *self.lock_id() = Some(id);
    }

    pub(crate) fn set_ended(&self, end: SessionEnd) {
        let _ = self.end.set(end);
    }

    /// How the session ended, if it has.
    pub(crate) fn ended(&self) -> Option<&SessionEnd> {
        self.end.get()
    }

    /// Why nothing can be asked of the session any more.
    pub(crate) fn cause_of_end(&self) -> Error {
        match self.ended() {
            Some(end) => end.cause.clone(),
            None => driver_gone(),
        }
    }

    fn lock_id(&self) -> MutexGuard<'_, Option<String>> {
        self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for a session whose task was dropped before it could end.
pub(crate) fn driver_gone() -> Error {
    Error::new(
        ErrorKind::Closed,
        "the session was dropped before it ended; was the runtime that it ran on shut down?",
    )
}
