use serde_json::{Value, json};

use super::failure::Failure;
use super::output::Output;

/// A request of the host that waits for its answer.
///
/// It may be kept open as long as the test likes, and answered out of turn. Dropping it leaves it
/// unanswered.
#[must_use = "a request that is dropped is never answered"]
#[derive(Debug)]
pub struct HostRequest {
    id: String,
    body: Value,
    output: Output,
}

impl HostRequest {
    pub(super) fn new(id: String, body: Value, output: Output) -> Self {
        Self { id, body, output }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is asked, with the subtype.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// Answers with a payload.
    ///
    /// # Panics
    /// When the answer cannot be written, as in every method here.
    pub async fn succeed(self, payload: Value) {
        self.try_succeed(Some(payload))
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Answers with success and nothing else, as the CLI often does.
    pub async fn succeed_empty(self) {
        self.try_succeed(None)
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Refuses, with words for people and, if there is one, a code for programs.
    pub async fn refuse(self, error: &str, code: Option<&str>) {
        self.try_refuse(error, code)
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    pub(super) async fn try_succeed(self, payload: Option<Value>) -> Result<(), Failure> {
        let mut response = json!({"subtype": "success", "request_id": self.id});
        if let Some(payload) = payload {
            response["response"] = payload;
        }
        self.respond(response).await
    }

    pub(super) async fn try_refuse(self, error: &str, code: Option<&str>) -> Result<(), Failure> {
        let mut response = json!({"subtype": "error", "request_id": self.id, "error": error});
        if let Some(code) = code {
            response["error_code"] = code.into();
        }
        self.respond(response).await
    }

    async fn respond(self, response: Value) -> Result<(), Failure> {
        let line = json!({"type": "control_response", "response": response});
        self.output.line(&line).await
    }
}
