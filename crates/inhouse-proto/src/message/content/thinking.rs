use crate::open::open_struct;

open_struct! {
    /// The model's reasoning, in the clear.
    pub struct ThinkingBlock ["type" = "thinking"] {
        /// The reasoning; may be empty when the CLI was told to leave it out.
        pub thinking: String,
        /// Proves to the API that the reasoning is its own; providers other than the first-party
        /// API may leave it out.
        pub signature: Option<String>,
    }
}

open_struct! {
    /// The model's reasoning, encrypted by the API.
    pub struct RedactedThinkingBlock ["type" = "redacted_thinking"] {
        /// The encrypted reasoning; of use only to the API.
        pub data: String,
    }
}
