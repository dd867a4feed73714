//! Dialogs that the CLI wants to be shown.
//!
//! Some decisions are put to a person in a dialog of a certain kind, such as
//! `refusal_fallback_prompt`: whether another model may try when the first has refused.
//! [`Options::on_dialog`](crate::Options::on_dialog) takes one kind on; of the others the CLI knows
//! that nobody can show them, and does without.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::dialog::{DialogAnswer, DialogRequest};
//!
//! let options = Options::new().on_dialog("refusal_fallback_prompt", async |request: DialogRequest| {
//!     match request.payload.get("fallbackModel") {
//!         Some(_) => Ok(DialogAnswer::completed(&"retry_fallback")?),
//!         None => Ok(DialogAnswer::Cancelled),
//!     }
//! });
//! # let _ = options;
//! ```

use std::fmt;
use std::ops::Deref;

pub use inhouse_proto::control::incoming::{DialogAnswer, RequestUserDialog};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::HandlerError;
use crate::session::Session;
use crate::tool::Cancelled;

/// A dialog to show.
///
/// It has all that [`RequestUserDialog`] has, so `request.payload` is there.
///
/// # Cancellation
/// When the dialog is not needed any more the handler is dropped at its next `await` and nothing is
/// answered.
#[derive(Clone)]
pub struct DialogRequest {
    dialog: RequestUserDialog,
    session: Session,
    cancelled: Cancelled,
}

impl DialogRequest {
    pub(crate) fn new(dialog: RequestUserDialog, session: Session, cancelled: Cancelled) -> Self {
        Self {
            dialog,
            session,
            cancelled,
        }
    }

    /// What to show, as your own type.
    ///
    /// # Errors
    /// When the payload has another shape.
    pub fn payload_as<T: DeserializeOwned>(&self) -> Result<T, HandlerError> {
        serde_json::from_value(Value::Object(self.payload.clone())).map_err(|error| {
            HandlerError::new(format!(
                "the payload of the dialog {} does not fit: {error}",
                self.dialog_kind
            ))
        })
    }

    /// The session in which it is shown.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Tells work that was handed elsewhere that nobody waits for the answer any more.
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}

impl Deref for DialogRequest {
    type Target = RequestUserDialog;

    fn deref(&self) -> &RequestUserDialog {
        &self.dialog
    }
}

impl fmt::Debug for DialogRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialogRequest")
            .field("dialog_kind", &self.dialog_kind)
            .finish_non_exhaustive()
    }
}
