use inhouse_macros::Open;

/// What the user may want to say next.
///
/// At most one for each turn, after the result; none after the first turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PromptSuggestionMessage {
    /// The prompt.
    pub suggestion: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
