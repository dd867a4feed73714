//! Questions of MCP servers to a person.
//!
//! A server that the CLI has connected may ask for a form to be filled in, or for a web page to be
//! visited, while one of its tools runs. [`Options::on_elicitation`](crate::Options::on_elicitation)
//! answers; without it every server is told that the person declined.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
//! use serde_json::json;
//!
//! let options = Options::new().on_elicitation(async |request: ElicitationRequest| {
//!     match request.mcp_server_name.as_str() {
//!         "crm" => Ok(ElicitationAnswer::accept(&json!({"region": "north"}))?),
//!         _ => Ok(ElicitationAnswer::Decline),
//!     }
//! });
//! # let _ = options;
//! ```

use std::fmt;
use std::ops::Deref;

pub use inhouse_proto::control::incoming::{Elicitation, ElicitationAnswer, ElicitationMode};

use crate::session::Session;
use crate::tool::Cancelled;

/// What a server wants to know.
///
/// It has all that [`Elicitation`] has, so `request.message` and `request.requested_schema` are
/// there.
///
/// # Cancellation
/// When the call that it belongs to is given up, the handler is dropped at its next `await` and
/// nothing is answered.
#[derive(Clone)]
pub struct ElicitationRequest {
    elicitation: Box<Elicitation>,
    session: Session,
    cancelled: Cancelled,
}

impl ElicitationRequest {
    pub(crate) fn new(
        elicitation: Box<Elicitation>,
        session: Session,
        cancelled: Cancelled,
    ) -> Self {
        Self {
            elicitation,
            session,
            cancelled,
        }
    }

    /// The session in which it is asked.
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

impl Deref for ElicitationRequest {
    type Target = Elicitation;

    fn deref(&self) -> &Elicitation {
        &self.elicitation
    }
}

impl fmt::Debug for ElicitationRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitationRequest")
            .field("mcp_server_name", &self.mcp_server_name)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
