use super::{Caller, ContentBlock};
use crate::open::{open_struct, open_union};

open_struct! {
    /// What the API's web fetch read.
    pub struct WebFetchToolResultBlock ["type" = "web_fetch_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The page, or why there is none.
        pub content: WebFetchContent,
        /// Who made the call, when it was not the model itself.
        pub caller: Option<Box<Caller>>,
    }
}

open_union! {
    /// A page that was fetched, or why that failed.
    pub enum WebFetchContent by "type" {
        /// The page.
        Result(WebFetchResult) = "web_fetch_result",
        /// Why it could not be fetched.
        Error(WebFetchToolResultError) = "web_fetch_tool_result_error",
    }
}

open_struct! {
    /// A page that was fetched.
    pub struct WebFetchResult ["type" = "web_fetch_result"] {
        /// The address.
        pub url: String,
        /// When it was fetched, as an ISO 8601 time.
        pub retrieved_at: Option<String>,
        /// The page, as a document block.
        pub content: Option<ContentBlock>,
    }
}

open_struct! {
    /// Why a page could not be fetched.
    pub struct WebFetchToolResultError ["type" = "web_fetch_tool_result_error"] {
        /// The API's code for the failure.
        pub error_code: Option<String>,
    }
}
