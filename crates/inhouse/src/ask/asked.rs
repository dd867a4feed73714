use std::fmt;
use std::sync::Arc;

use inhouse_proto::control::IncomingRequest;
use inhouse_proto::wire::Text;

use crate::session::Session;
use crate::tool::Cancelled;

/// A request of the CLI that a handler of the host answers.
///
/// Handlers of [`Options::permissions`](crate::Options::permissions),
/// [`on_question`](crate::Options::on_question), [`on_plan`](crate::Options::on_plan),
/// [`on_elicitation`](crate::Options::on_elicitation) and
/// [`on_dialog`](crate::Options::on_dialog) take one. Several requests may be open at the same
/// time, each with its handler in a separate task. Cloning is cheap: clones share the request.
///
/// # Cancellation
///
/// When the CLI withdraws the request, because the turn was interrupted or because a hook decided
/// first, the handler is dropped at its next `await` and nothing is answered. Work that the handler
/// has given to another task or thread can watch [`cancelled`](Self::cancelled).
///
/// ```
/// use inhouse::permission::{CanUseTool, Decision};
/// use inhouse::{Asked, HandlerError};
///
/// async fn decide(asked: Asked<CanUseTool>) -> Result<Decision, HandlerError> {
///     match asked.request.tool_name.as_str() {
///         "Read" => Ok(Decision::allow()),
///         _ => Ok(Decision::deny("read only")),
///     }
/// }
/// # let _ = decide;
/// ```
#[non_exhaustive]
pub struct Asked<T> {
    /// The request; see [`raw`](Self::raw) for members that `T` does not have.
    pub request: Arc<T>,
    raw: Text,
    session: Session,
    cancelled: Cancelled,
}

impl<T> Asked<T> {
    pub(super) fn new(
        request: &Arc<T>,
        incoming: &IncomingRequest,
        session: &Session,
        cancelled: Cancelled,
    ) -> Self {
        Self {
            request: Arc::clone(request),
            raw: incoming.body.clone(),
            session: session.clone(),
            cancelled,
        }
    }

    /// Returns the request as the CLI wrote it, as JSON text. It has the members for which `T` has no
    /// field.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     let request: serde_json::Value = serde_json::from_str(asked.raw())?;
    ///     // A member of a newer CLI.
    ///     match request["risk"].as_str() {
    ///         Some("low") => Ok(Decision::allow()),
    ///         _ => Ok(Decision::deny("too risky")),
    ///     }
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let call = serde_json::json!({
    /// #         "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1", "input": {}, "risk": "low",
    /// #     });
    /// #     let id = cli.ask(call).await;
    /// #     assert_eq!(cli.expect_answer(&id).await.payload()["behavior"], "allow");
    /// # }));
    /// ```
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the session that the request belongs to.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     let control = asked.session().control().expect("the session is open");
    ///     control.set_model(Some("haiku")).await?;
    ///     Ok(Decision::allow())
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let call = serde_json::json!({
    /// #         "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1", "input": {},
    /// #     });
    /// #     let id = cli.ask(call).await;
    /// #     cli.expect_request("set_model").await.succeed_empty().await;
    /// #     assert_eq!(cli.expect_answer(&id).await.payload()["behavior"], "allow");
    /// # }));
    /// ```
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns a signal for work outside of the handler, such as a window on a screen: it fires when
    /// the request is answered, withdrawn or timed out, or the session ends.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     let cancelled = asked.cancelled().clone();
    ///     let window = tokio::spawn(async move {
    ///         // Closes the window that shows the request.
    ///         cancelled.wait().await;
    ///     });
    ///     assert!(!window.is_finished());
    ///     Ok(Decision::allow())
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["behavior"], "allow");
    /// # }));
    /// ```
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}

impl<T> Clone for Asked<T> {
    fn clone(&self) -> Self {
        Self {
            request: Arc::clone(&self.request),
            raw: self.raw.clone(),
            session: self.session.clone(),
            cancelled: self.cancelled.clone(),
        }
    }
}

/// Shows what the request is about, but none of its content, which may hold a secret.
impl<T: Subject> fmt::Debug for Asked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("subject", &self.request.subject())
            .finish_non_exhaustive()
    }
}

/// A request that can be named in a log.
pub trait Subject {
    /// Returns what the request is about: the name of a tool, of a server, of a kind of dialog.
    fn subject(&self) -> &str;
}
