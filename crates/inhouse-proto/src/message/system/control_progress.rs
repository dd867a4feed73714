use crate::open::{open_enum, open_struct};

open_struct! {
    /// A request of the host takes long, and this is how it goes.
    pub struct ControlRequestProgressMessage
        ["type" = "system", "subtype" = "control_request_progress"]
    {
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
}

open_enum! {
    /// How a long request goes.
    pub enum ControlRequestProgressStatus {
        /// It began.
        Started = "started",
        /// A call of the API will be repeated.
        ApiRetry = "api_retry",
    }
}
