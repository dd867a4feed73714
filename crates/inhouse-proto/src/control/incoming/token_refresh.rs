use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::Value;

/// The CLI needs a new OAuth token.
///
/// Undeclared by the official SDKs; sent only to a host that says in the environment that it has
/// tokens. The answer is `{"accessToken": string | null, "reason"?: string}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct OauthTokenRefresh {
    /// What kind of token.
    pub kind: Option<String>,
    /// Whether the token that the CLI has was refused.
    pub token_state: Option<TokenState>,
    /// The call that was refused.
    pub refused_call: Option<RefusedCall>,
}

/// What became of the token that the CLI has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TokenState {
    /// It was refused.
    Refused,
    /// It was not refused.
    NotRefused,
    /// A value that this version does not know.
    Unknown(String),
}

/// A call that a token was refused for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusedCall {
    /// A call to the model.
    Model,
    /// A call to a connector.
    Connector,
    /// Another call.
    Other,
    /// A value that this version does not know.
    Unknown(String),
}

/// The CLI needs a new token from the host.
///
/// Undeclared by the official SDKs; sent only to a host that says in the environment that it has
/// tokens. The answer is `{"authToken": string | null}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HostAuthTokenRefresh {
    /// The status that the token was refused with.
    pub status: Option<Value>,
}
