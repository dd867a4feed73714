use inhouse_macros::Open;

/// The model thinks, and has thought for so many tokens.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ThinkingTokensMessage {
    /// Tokens of the block so far, estimated.
    pub estimated_tokens: u64,
    /// Tokens since the last of these messages.
    pub estimated_tokens_delta: Option<u64>,
    /// The prompt that is being answered.
    pub user_message_uuid: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
