use crate::message::AssistantError;
use inhouse_macros::Open;

/// Message sent when an API call failed and will be retried.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiRetryMessage {
    /// Number of the attempt that failed, starting at 1.
    pub attempt: u64,
    /// Maximum number of retries.
    pub max_retries: Option<u64>,
    /// Delay before the next attempt in milliseconds.
    pub retry_delay_ms: Option<f64>,
    /// HTTP status of the failed attempt. `None` if there was no HTTP response.
    pub error_status: Option<u16>,
    /// The kind of error that the call failed with.
    pub error: Option<AssistantError>,
    /// Wait times, if the call failed because the API did not respond.
    pub no_response: Option<NoResponse>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Wait times of an API call that received no response.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct NoResponse {
    /// Time that the CLI waited for a response, in milliseconds.
    pub waited_ms: Option<f64>,
    /// Time that the CLI will wait for a response on the next attempt, in milliseconds.
    pub retry_wait_ms: Option<f64>,
}
