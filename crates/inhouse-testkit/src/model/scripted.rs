use std::{error::Error, fmt, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{net::TcpListener, task::AbortHandle};

use super::{
    Answer, ModelRequest, RequestKind,
    script::{Script, State},
    server,
};

/// A Messages API server on the loopback interface that plays a script and records its requests.
///
/// The [module](super) lists which request gets which answer. Turns can be added before and during a conversation. Dropping
/// it closes the server and all its connections.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// use inhouse_testkit::model::{ScriptedModel, Turn};
/// use serde_json::json;
///
/// let model = ScriptedModel::start().await?;
/// model
///     .turn(Turn::new().tool_use("Bash", json!({ "command": "date" })))
///     .turn(Turn::error(529))
///     .turn("It is late.");
/// assert_eq!(model.remaining(), 3);
/// assert!(model.base_url().starts_with("http://127.0.0.1:"));
/// # Ok(()) }
/// ```
pub struct ScriptedModel {
    address: SocketAddr,
    script: Arc<Script>,
    server: AbortHandle,
}

impl ScriptedModel {
    /// Starts the server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// If no port can be bound.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime with I/O and time enabled.
    pub async fn start() -> io::Result<Self> {
        Self::serve(Arc::default()).await
    }

    /// Starts the server with a script that exists already.
    pub(crate) async fn serve(script: Arc<Script>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(server::run(listener, Arc::clone(&script))).abort_handle();
        Ok(Self {
            address,
            script,
            server,
        })
    }

    /// Returns the URL of the server, for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds an answer to the end of the script.
    ///
    /// ```
    /// # use inhouse_testkit::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// # let model = ScriptedModel::start().await?;
    /// model.turn("Let me think.").turn("42");
    /// assert_eq!(model.remaining(), 2);
    /// # Ok(()) }
    /// ```
    pub fn turn(&self, answer: impl Into<Answer>) -> &Self {
        self.script.lock().queue.push_back(answer.into());
        self
    }

    /// Answers the first request that the predicate accepts, outside of the script.
    ///
    /// Rules are tried in the order of their creation, before the script, and only for requests for a message. Several rules
    /// with the same predicate form a separate script, for example for a subagent.
    ///
    /// ```
    /// # use inhouse_testkit::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// # let model = ScriptedModel::start().await?;
    /// model
    ///     .once(|request| request.agent_id().is_some(), "I am a subagent.")
    ///     .once(|request| request.last_user_text().as_deref() == Some("15 + 27?"), "42");
    /// assert_eq!(model.remaining(), 2);
    /// # Ok(()) }
    /// ```
    pub fn once(
        &self,
        accepts: impl Fn(&ModelRequest) -> bool + Send + Sync + 'static,
        answer: impl Into<Answer>,
    ) -> &Self {
        self.script.add_rule(Arc::new(accepts), answer.into(), true);
        self
    }

    /// Answers every request that the predicate accepts, outside of the script.
    ///
    /// Like [`once`](ScriptedModel::once), but applies to any number of requests.
    ///
    /// ```
    /// # use inhouse_testkit::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// # let model = ScriptedModel::start().await?;
    /// model.when(|request| request.model().contains("haiku"), "A short answer.");
    /// assert_eq!(model.remaining(), 0); // it need not be used
    /// # Ok(()) }
    /// ```
    pub fn when(
        &self,
        accepts: impl Fn(&ModelRequest) -> bool + Send + Sync + 'static,
        answer: impl Into<Answer>,
    ) -> &Self {
        self.script
            .add_rule(Arc::new(accepts), answer.into(), false);
        self
    }

    /// Answers every request after the end of the script.
    ///
    /// By default such a request gets an error response and is listed in [`unexpected`](ScriptedModel::unexpected).
    ///
    /// ```
    /// # use inhouse_testkit::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// # let model = ScriptedModel::start().await?;
    /// model.otherwise(|request| format!("You said {:?}.", request.last_user_text()));
    /// model.assert_done();
    /// # Ok(()) }
    /// ```
    pub fn otherwise<A: Into<Answer>>(
        &self,
        answer: impl Fn(&ModelRequest) -> A + Send + Sync + 'static,
    ) -> &Self {
        self.script.lock().otherwise = Some(Arc::new(move |request| answer(request).into()));
        self
    }

    /// Continues every answer that [stalls](super::Turn::stall) now.
    ///
    /// Turns whose requests have not arrived yet still stall later.
    pub fn release(&self) {
        self.script.release();
    }

    /// Returns every request so far, of every kind, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.script.lock().requests.clone()
    }

    /// Returns the requests of the [conversation](RequestKind::Conversation) so far, in the order of arrival.
    #[must_use]
    pub fn conversation(&self) -> Vec<ModelRequest> {
        let mut requests = self.requests();
        requests.retain(|request| request.kind() == RequestKind::Conversation);
        requests
    }

    /// Returns the requests after the end of the script, and those of an unknown kind.
    #[must_use]
    pub fn unexpected(&self) -> Vec<ModelRequest> {
        self.script.lock().unexpected()
    }

    /// Returns the number of unused answers of the script and of [`once`](ScriptedModel::once).
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.script.lock().remaining()
    }

    /// Waits for the next request of the conversation; the first call returns the first one, even if it came earlier.
    ///
    /// # Errors
    ///
    /// If the deadline passes first.
    ///
    /// # Cancellation
    ///
    /// Dropping the future loses no request.
    pub async fn next_request(&self, within: Duration) -> Result<ModelRequest, WaitTimeout> {
        self.script
            .wait("request", within, State::take_request)
            .await
    }

    /// Waits until a client disconnects in the middle of an answer, and returns its request.
    ///
    /// A killed CLI or an interrupted turn disconnects so. Each request is returned once, as with
    /// [`next_request`](ScriptedModel::next_request).
    ///
    /// # Errors
    ///
    /// If the deadline passes first.
    pub async fn next_disconnect(&self, within: Duration) -> Result<ModelRequest, WaitTimeout> {
        self.script
            .wait("disconnect", within, State::take_abandoned)
            .await
    }

    /// Asserts that the script was played to its end and that there was no other request.
    ///
    /// # Panics
    ///
    /// If answers [remain](ScriptedModel::remaining) or a request was [unexpected](ScriptedModel::unexpected), with both.
    ///
    /// ```should_panic
    /// # use inhouse_testkit::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// # let model = ScriptedModel::start().await?;
    /// model.turn("Never asked for.");
    /// model.assert_done();
    /// # Ok(()) }
    /// ```
    #[track_caller]
    pub fn assert_done(&self) {
        let problems = self.script.lock().problems();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("base_url", &self.base_url())
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}

/// A wait that reached its deadline.
///
/// The message lists the requests that the model received instead.
#[derive(Debug)]
pub struct WaitTimeout {
    awaited: &'static str,
    within: Duration,
    seen: Vec<String>,
}

impl WaitTimeout {
    pub(super) fn new(awaited: &'static str, within: Duration, seen: &[ModelRequest]) -> Self {
        let seen = seen
            .iter()
            .map(|request| format!("{} {} ({:?})", request.method, request.path, request.kind))
            .collect();
        Self {
            awaited,
            within,
            seen,
        }
    }
}

impl fmt::Display for WaitTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} within {:?}; ", self.awaited, self.within)?;
        if self.seen.is_empty() {
            return f.write_str("the model received no request");
        }
        write!(f, "the model received: {}", self.seen.join(", "))
    }
}

impl Error for WaitTimeout {}
