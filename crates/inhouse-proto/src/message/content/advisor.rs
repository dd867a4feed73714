use crate::open::{open_struct, open_union};

open_struct! {
    /// What the advisor, a second model that the first may consult, said.
    pub struct AdvisorToolResultBlock ["type" = "advisor_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The advice, or why there is none.
        pub content: AdvisorContent,
    }
}

open_union! {
    /// Advice in one of its forms.
    pub enum AdvisorContent by "type" {
        /// Advice in the clear.
        Result(AdvisorResult) = "advisor_result",
        /// Advice that only the API can read.
        Redacted(AdvisorRedactedResult) = "advisor_redacted_result",
        /// Why there is no advice.
        Error(AdvisorToolResultError) = "advisor_tool_result_error",
    }
}

open_struct! {
    /// Advice in the clear.
    pub struct AdvisorResult ["type" = "advisor_result"] {
        /// The advice.
        pub text: String,
        /// Why the advisor stopped.
        pub stop_reason: Option<String>,
    }
}

open_struct! {
    /// Advice that only the API can read.
    pub struct AdvisorRedactedResult ["type" = "advisor_redacted_result"] {
        /// The encrypted advice.
        pub encrypted_content: String,
        /// Why the advisor stopped.
        pub stop_reason: Option<String>,
    }
}

open_struct! {
    /// Why there is no advice.
    pub struct AdvisorToolResultError ["type" = "advisor_tool_result_error"] {
        /// The API's code for the failure.
        pub error_code: Option<String>,
    }
}
