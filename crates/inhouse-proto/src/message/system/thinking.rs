use inhouse_macros::Open;

/// Message that reports how many tokens the model has spent on the current thinking block.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ThinkingTokensMessage {
    /// Estimated number of tokens of the thinking block so far.
    pub estimated_tokens: u64,
    /// Estimated number of tokens since the previous message of this type.
    pub estimated_tokens_delta: Option<u64>,
    /// The id of the prompt that the model is working on.
    pub user_message_uuid: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
