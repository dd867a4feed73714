use inhouse_macros::Open;

/// A suggestion for the user's next prompt.
///
/// Sent at most once per turn, after the result, and not after the first turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PromptSuggestionMessage {
    /// Text of the suggested prompt.
    pub suggestion: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
