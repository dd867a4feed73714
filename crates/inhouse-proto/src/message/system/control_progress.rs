use inhouse_macros::Open;

/// Message that reports the progress of a long-running control request of the host.
///
/// In CLI 2.1.325 only `side_question` requests are reported.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ControlRequestProgressMessage {
    /// The id of the control request.
    pub request_id: String,
    /// Progress of the control request.
    pub status: Option<ControlRequestProgressStatus>,
    /// Number of the API attempt that failed, starting at 1.
    pub attempt: Option<u64>,
    /// Maximum number of retries.
    pub max_retries: Option<u64>,
    /// Delay before the next attempt in milliseconds.
    pub retry_delay_ms: Option<f64>,
    /// HTTP status of the failed attempt. `None` if there was no HTTP response.
    pub error_status: Option<u16>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Progress of a long-running control request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ControlRequestProgressStatus {
    /// The request was started.
    Started,
    /// An API call failed and will be retried.
    ApiRetry,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
