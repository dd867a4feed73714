use std::fmt;
use std::ops::Deref;

use inhouse_proto::control::incoming::CanUseTool;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::HandlerError;
use crate::session::Session;
use crate::tool::Cancelled;

/// The CLI asks whether a tool may run.
///
/// It has all that [`CanUseTool`] has, so `request.tool_name` and `request.input` are there, and
/// what a handler may need besides. Several questions may be open at once.
///
/// # Cancellation
/// When the turn is interrupted, or somebody else decides first, such as a hook, the handler is
/// dropped at its next `await` and nothing is answered.
#[derive(Clone)]
pub struct PermissionRequest {
    question: Box<CanUseTool>,
    session: Session,
    cancelled: Cancelled,
}

impl PermissionRequest {
    pub(crate) fn new(question: Box<CanUseTool>, session: Session, cancelled: Cancelled) -> Self {
        Self {
            question,
            session,
            cancelled,
        }
    }

    /// The input as your own type.
    ///
    /// # Errors
    /// When the input has another shape.
    pub fn input_as<T: DeserializeOwned>(&self) -> Result<T, HandlerError> {
        serde_json::from_value(Value::Object(self.input.clone())).map_err(|error| {
            HandlerError::new(format!(
                "the input of {} does not fit: {error}",
                self.tool_name
            ))
        })
    }

    /// The session in which it is asked.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Tells work that was handed elsewhere, such as a window on a screen, that nobody waits for
    /// the decision any more.
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}

impl Deref for PermissionRequest {
    type Target = CanUseTool;

    fn deref(&self) -> &CanUseTool {
        &self.question
    }
}

/// Shows the tool and not its input, which may hold a secret.
impl fmt::Debug for PermissionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionRequest")
            .field("tool_name", &self.tool_name)
            .field("tool_use_id", &self.tool_use_id)
            .finish_non_exhaustive()
    }
}
