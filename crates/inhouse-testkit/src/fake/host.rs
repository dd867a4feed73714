//! What the host sends: prompts, requests and answers.

use serde_json::{Value, json};

use super::conversation::Failure;
use super::stdio::Output;

/// A prompt of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    line: Value,
}

impl Prompt {
    pub(super) fn new(line: Value) -> Self {
        Self { line }
    }

    /// Returns the text; text blocks are joined, other blocks are left out.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.line["message"]["content"] {
            Value::String(text) => text.clone(),
            content => content
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|block| block["text"].as_str())
                .collect(),
        }
    }

    /// Returns the id of the prompt, which its result refers to.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.line["uuid"].as_str()
    }

    /// Returns the whole line.
    #[must_use]
    pub fn line(&self) -> &Value {
        &self.line
    }
}

/// A control request of the host that has not been answered yet.
///
/// A request can be answered at any time and out of order. Dropping it leaves the request unanswered.
///
/// Every method that answers panics if the answer cannot be written.
#[must_use = "a dropped request is never answered"]
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

    /// Returns the request id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the body of the request, with its subtype.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// Answers with success and a payload.
    pub async fn succeed(self, payload: Value) {
        self.try_succeed(Some(payload))
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Answers with success and no payload, as the CLI often does.
    pub async fn succeed_empty(self) {
        self.try_succeed(None)
            .await
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Answers with an error text and, optionally, an error code.
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

/// The host's answer to a request of the CLI.
#[derive(Clone, Debug, PartialEq)]
pub enum HostAnswer {
    /// The request succeeded; the payload is `null` if there is none.
    Success(Value),
    /// The request was refused or failed.
    Error {
        /// The error text of the answer.
        error: String,
        /// The error code, if there is one.
        code: Option<String>,
    },
}

impl HostAnswer {
    /// Returns the payload of a success.
    ///
    /// # Panics
    /// If the answer is an error.
    #[must_use]
    pub fn payload(self) -> Value {
        match self {
            Self::Success(payload) => payload,
            Self::Error { error, .. } => panic!("the host refused the request: {error}"),
        }
    }

    /// Reads a `control_response` line; returns the request id and the answer.
    pub(super) fn read(line: &Value) -> Option<(String, Self)> {
        let response = &line["response"];
        let id = response["request_id"].as_str()?.to_owned();
        let answer = match response["subtype"].as_str()? {
            "success" => Self::Success(response["response"].clone()),
            "error" => Self::Error {
                error: response["error"].as_str()?.to_owned(),
                code: response["error_code"].as_str().map(str::to_owned),
            },
            _ => return None,
        };
        Some((id, answer))
    }
}
