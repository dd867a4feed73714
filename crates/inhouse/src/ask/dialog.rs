//! Dialogs that the CLI asks the host to show.
//!
//! The CLI asks the user for some decisions in a dialog of a certain kind, such as
//! `refusal_fallback_prompt`: whether another model may try after the first has refused.
//! [`Options::on_dialog`](crate::Options::on_dialog) takes over one kind; the CLI does not send kinds
//! without a handler.
//!
//! ```
//! use inhouse::dialog::{DialogAnswer, DialogRequest};
//! use inhouse::{Asked, Options};
//!
//! let options = Options::new().on_dialog(
//!     "refusal_fallback_prompt",
//!     async |asked: Asked<DialogRequest>| match asked.request.payload.get("fallbackModel") {
//!         Some(_) => Ok(DialogAnswer::completed(&"retry_fallback")?),
//!         None => Ok(DialogAnswer::Cancelled),
//!     },
//! );
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     let id = cli.ask(serde_json::json!({
//! #         "subtype": "request_user_dialog", "dialog_kind": "refusal_fallback_prompt",
//! #         "payload": {"fallbackModel": "haiku"},
//! #     })).await;
//! #     assert_eq!(cli.expect_answer(&id).await.payload()["result"], "retry_fallback");
//! # }));
//! ```

use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, IncomingRequest};
#[doc(inline)]
pub use inhouse_proto::control::incoming::{DialogAnswer, DialogRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::asked::Subject;
use super::{AskHandlers, Asked, success};
use crate::error::HandlerError;
use crate::session::Session;

impl Asked<DialogRequest> {
    /// Decodes the payload of the dialog into your own type.
    ///
    /// # Errors
    ///
    /// Returns an error that names the kind of dialog if the payload has another shape. A handler that
    /// passes it on with `?` cancels the dialog.
    ///
    /// ```
    /// use inhouse::dialog::{DialogAnswer, DialogRequest};
    /// use inhouse::{Asked, Options};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Payload {
    ///     url: String,
    /// }
    ///
    /// let options = Options::new().on_dialog("sign_in", async |asked: Asked<DialogRequest>| {
    ///     let Payload { url } = asked.payload_as()?;
    ///     Ok(DialogAnswer::completed(&format!("visited {url}"))?)
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let id = cli.ask(serde_json::json!({
    /// #         "subtype": "request_user_dialog", "dialog_kind": "sign_in", "payload": {"url": "u"},
    /// #     })).await;
    /// #     assert_eq!(cli.expect_answer(&id).await.payload()["result"], "visited u");
    /// # }));
    /// ```
    pub fn payload_as<T: DeserializeOwned>(&self) -> Result<T, HandlerError> {
        T::deserialize(&self.request.payload).map_err(|error| {
            let kind = &self.request.dialog_kind;
            HandlerError::new(format!(
                "the payload of the dialog {kind} does not fit: {error}"
            ))
        })
    }
}

impl Subject for DialogRequest {
    fn subject(&self) -> &str {
        &self.dialog_kind
    }
}

impl AskHandlers {
    /// Answers `request_user_dialog`; `None` if the kind has no handler.
    ///
    /// A dialog that cannot be decoded is cancelled: CLI 2.1.325 discards an error reply to a dialog and
    /// keeps waiting, and only this host shows the kind.
    pub(crate) async fn dialog(
        &self,
        incoming: &IncomingRequest,
        session: &Session,
    ) -> Option<Answer> {
        #[derive(Deserialize)]
        struct Kind {
            dialog_kind: String,
        }
        let Kind { dialog_kind } = incoming.decode().ok()?;
        let handler = self.dialogs.get(&dialog_kind)?;
        let request: Arc<DialogRequest> = match incoming.decode() {
            Ok(request) => Arc::new(request),
            Err(error) => {
                tracing::warn!(kind = dialog_kind, %error, "dialog cannot be decoded");
                return Some(success(&DialogAnswer::Cancelled));
            }
        };
        let asked = |cancelled| Asked::new(&request, incoming, session, cancelled);
        let answer = handler.call(asked, None).await.unwrap_or_else(|failure| {
            failure.log("dialog");
            DialogAnswer::Cancelled
        });
        Some(success(&answer))
    }
}
