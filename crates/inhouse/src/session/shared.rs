use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use inhouse_proto::control::outgoing::{InitializeReply, SlashCommand};

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
    /// The reply to `initialize`, with the commands that were reported last.
    initialized: Mutex<Arc<InitializeReply>>,
    /// The step of its start that the CLI reported last, before its reply to `initialize`.
    startup_mark: Mutex<Option<String>>,
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
            initialized: Mutex::new(Arc::new(empty_reply())),
            startup_mark: Mutex::default(),
            end: OnceLock::new(),
            next_key: AtomicU64::new(0),
        }
    }

    /// Returns a new key for a control call.
    pub(crate) fn next_key(&self) -> u64 {
        self.next_key.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn set_initialized(&self, mut reply: InitializeReply) {
        let mut initialized = lock(&self.initialized);
        // The driver may have read a change of the commands before this task was woken.
        if let Some(commands) = &initialized.commands {
            reply.commands = Some(commands.clone());
        }
        *initialized = Arc::new(reply);
    }

    /// Replaces the commands in the reply to `initialize`.
    pub(crate) fn set_commands(&self, commands: Vec<SlashCommand>) {
        Arc::make_mut(&mut lock(&self.initialized)).commands = Some(commands);
    }

    /// Returns the reply to `initialize`; an empty one for a handler that is called before it.
    pub(crate) fn initialized(&self) -> Arc<InitializeReply> {
        Arc::clone(&lock(&self.initialized))
    }

    pub(crate) fn set_startup_mark(&self, mark: String) {
        *lock(&self.startup_mark) = Some(mark);
    }

    /// Returns the step of its start that the CLI reported last.
    pub(crate) fn startup_mark(&self) -> Option<String> {
        lock(&self.startup_mark).clone()
    }

    /// Returns the id of the session, which `/clear` changes.
    pub(crate) fn session_id(&self) -> Option<String> {
        lock(&self.id).clone()
    }

    pub(crate) fn set_session_id(&self, id: String) {
        *lock(&self.id) = Some(id);
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
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn empty_reply() -> InitializeReply {
    serde_json::from_str("{}").expect("every member of the reply is optional")
}

/// Returns the error for a session whose driver task was dropped before the session ended.
pub(crate) fn driver_dropped() -> Error {
    Error::new(
        ErrorKind::Closed,
        "the session was dropped before it ended; was the runtime that it ran on shut down?",
    )
}
