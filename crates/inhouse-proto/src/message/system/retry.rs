use crate::message::AssistantError;
use inhouse_macros::Open;

/// A call of the API failed and will be repeated.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiRetryMessage {
    /// Which attempt failed, from one.
    pub attempt: u64,
    /// How many there may be.
    pub max_retries: Option<u64>,
    /// Milliseconds until the next.
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status; `None` when there was no answer.
    pub error_status: Option<u16>,
    /// How the call failed.
    pub error: Option<AssistantError>,
    /// How long the CLI waited for an answer that did not come.
    pub no_response: Option<NoResponse>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// An answer that did not come.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct NoResponse {
    /// Milliseconds for which the CLI waited.
    pub waited_ms: Option<f64>,
    /// Milliseconds for which it will wait the next time.
    pub retry_wait_ms: Option<f64>,
}
