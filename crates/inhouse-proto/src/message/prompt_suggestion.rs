use crate::open::open_struct;

open_struct! {
    /// What the user may want to say next.
    ///
    /// At most one for each turn, after the result; none after the first turn.
    pub struct PromptSuggestionMessage ["type" = "prompt_suggestion"] {
        /// The prompt.
        pub suggestion: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
