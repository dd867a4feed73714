use inhouse_macros::Open;

/// A request of the host takes long, and this is how it goes.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ControlRequestProgressMessage {
    /// The request.
    pub request_id: String,
    /// How it goes.
    pub status: Option<ControlRequestProgressStatus>,
    /// Which attempt to call the API failed, from one.
    pub attempt: Option<u64>,
    /// How many there may be.
    pub max_retries: Option<u64>,
    /// Milliseconds until the next.
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status; `None` when there was no answer.
    pub error_status: Option<u16>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How a long request goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ControlRequestProgressStatus {
    /// It began.
    Started,
    /// A call of the API will be repeated.
    ApiRetry,
    /// A value that this version does not know.
    Unknown(String),
}
