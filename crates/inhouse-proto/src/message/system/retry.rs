use crate::message::AssistantError;
use crate::open::open_struct;

open_struct! {
    /// A call of the API failed and will be repeated.
    pub struct ApiRetryMessage ["type" = "system", "subtype" = "api_retry"] {
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
}

open_struct! {
    /// An answer that did not come.
    pub struct NoResponse {
        /// Milliseconds for which the CLI waited.
        pub waited_ms: Option<f64>,
        /// Milliseconds for which it will wait the next time.
        pub retry_wait_ms: Option<f64>,
    }
}
