use std::{fmt, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{net::TcpListener, task::AbortHandle};

use super::{
    Answer, ModelRequest, NothingCame, RequestKind,
    script::{Script, State},
    server,
};

/// A model on the loopback interface that plays a script and remembers what it was asked.
///
/// The [module](super) tells which request gets which answer. Turns can be added before and during a conversation, and the
/// server ends, with all its connections, when this value is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// use inhouse_testkit::model::{ScriptedModel, Turn};
/// use serde_json::json;
///
/// let model = ScriptedModel::start().await?;
/// model
///     .turn(Turn::new().tool_use("toolu_1", "Bash", json!({ "command": "date" })))
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
    /// When no port can be bound.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with I/O and time enabled.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let script = Arc::new(Script::default());
        let server = tokio::spawn(server::run(listener, Arc::clone(&script))).abort_handle();
        Ok(Self {
            address,
            script,
            server,
        })
    }

    /// The address to give to the client, as `ANTHROPIC_BASE_URL` takes it.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds an answer to the end of the script.
    pub fn turn(&self, answer: impl Into<Answer>) -> &Self {
        self.script.lock().queue.push_back(answer.into());
        self
    }

    /// Answers the first request that the predicate accepts, outside of the script.
    ///
    /// Rules are tried in the order in which they were made, before the script, and only on requests for a message. Several
    /// rules with the same predicate are a script of their own, for example that of a subagent.
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
    /// Like [`once`](ScriptedModel::once), but never used up.
    pub fn when(
        &self,
        accepts: impl Fn(&ModelRequest) -> bool + Send + Sync + 'static,
        answer: impl Into<Answer>,
    ) -> &Self {
        self.script
            .add_rule(Arc::new(accepts), answer.into(), false);
        self
    }

    /// Answers every request that comes when the script has run out.
    ///
    /// Without this, such a request gets an error that says so, and is listed in [`unexpected`](ScriptedModel::unexpected).
    pub fn otherwise<A: Into<Answer>>(
        &self,
        answer: impl Fn(&ModelRequest) -> A + Send + Sync + 'static,
    ) -> &Self {
        self.script.lock().otherwise = Some(Arc::new(move |request| answer(request).into()));
        self
    }

    /// Lets every answer go on that [stalls](super::Turn::stall) now.
    ///
    /// That is, those whose requests have arrived; a turn that is still in the script will stall when its time comes.
    pub fn release(&self) {
        self.script.release();
    }

    /// Every request so far, of every kind, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.script.lock().requests.clone()
    }

    /// The requests of the [conversation](RequestKind::Conversation) so far, in the order of arrival.
    #[must_use]
    pub fn conversation(&self) -> Vec<ModelRequest> {
        let mut requests = self.requests();
        requests.retain(|request| request.kind() == RequestKind::Conversation);
        requests
    }

    /// The requests that found the script run out or that the model knows nothing about.
    #[must_use]
    pub fn unexpected(&self) -> Vec<ModelRequest> {
        self.script.lock().unexpected()
    }

    /// How many answers of the script and of [`once`](ScriptedModel::once) have not been asked for.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.script.lock().remaining()
    }

    /// Waits for the next request of the conversation: the first call gives the first one, whenever it came.
    ///
    /// # Errors
    ///
    /// When the deadline passes first.
    ///
    /// # Cancellation
    ///
    /// A dropped call takes no request with it.
    pub async fn next_request(&self, within: Duration) -> Result<ModelRequest, NothingCame> {
        self.script
            .wait("request", within, State::take_request)
            .await
    }

    /// Waits until a client goes away in the middle of an answer, and gives the request that it no longer cared about.
    ///
    /// This is how a killed CLI or an interrupted turn looks from here. Each is given once, like with
    /// [`next_request`](ScriptedModel::next_request).
    ///
    /// # Errors
    ///
    /// When the deadline passes first.
    pub async fn next_disconnect(&self, within: Duration) -> Result<ModelRequest, NothingCame> {
        self.script
            .wait("disconnect", within, State::take_abandoned)
            .await
    }

    /// Asserts that the script was played to its end and that nothing else was asked.
    ///
    /// # Panics
    ///
    /// When answers [remain](ScriptedModel::remaining) or a request was [unexpected](ScriptedModel::unexpected).
    #[track_caller]
    pub fn assert_done(&self) {
        let unexpected: Vec<String> = self
            .unexpected()
            .iter()
            .map(|request| {
                let said = request.last_user_text().unwrap_or_default();
                format!("{} {} {said:?}", request.method(), request.path())
            })
            .collect();
        assert!(
            unexpected.is_empty(),
            "the model got requests that nobody expected: {unexpected:#?}"
        );
        let remaining = self.remaining();
        assert!(
            remaining == 0,
            "{remaining} answers of the model were never asked for"
        );
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
