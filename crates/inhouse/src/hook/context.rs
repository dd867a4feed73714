use inhouse_proto::wire::Text;

use crate::session::Session;
use crate::tool::Cancelled;

/// What a hook knows besides its event.
#[derive(Clone, Debug)]
pub struct HookContext {
    session: Session,
    tool_use_id: Option<String>,
    raw: Text,
    cancelled: Cancelled,
}

impl HookContext {
    pub(super) fn new(
        session: Session,
        tool_use_id: Option<String>,
        raw: Text,
        cancelled: Cancelled,
    ) -> Self {
        Self {
            session,
            raw,
            tool_use_id,
            cancelled,
        }
    }

    /// Returns the event as the CLI wrote it, as JSON text. It has the members for which the event's
    /// type has no field.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The session in which it happens.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The tool call that the event is about; `None` for events that are about none.
    #[must_use]
    pub fn tool_use_id(&self) -> Option<&str> {
        self.tool_use_id.as_deref()
    }

    /// Tells that nobody waits for the hook any more: an interrupt, its timeout, or the end of the
    /// session. The hook itself is dropped then; this is for what it has handed to other tasks.
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}
