use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::Value;

/// A request of the CLI for a new OAuth token (`oauth_token_refresh`).
///
/// The official SDKs do not declare this request. The CLI sends it only if the host announces in the environment that
/// it provides tokens. The answer is `{"accessToken": string | null, "reason"?: string}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct OauthTokenRefresh {
    /// The kind of token that the CLI needs.
    pub kind: Option<String>,
    /// The state of the token that the CLI has.
    pub token_state: Option<TokenState>,
    /// The call for which the token was refused.
    pub refused_call: Option<RefusedCall>,
}

/// The state of the OAuth token that the CLI has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TokenState {
    /// A call with the token was refused.
    Refused,
    /// No call with the token was refused.
    NotRefused,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// The kind of call for which an OAuth token was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusedCall {
    /// A call to the model API.
    Model,
    /// A call to a connector.
    Connector,
    /// A call of another kind.
    Other,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// A request of the CLI for a new token of the host (`host_auth_token_refresh`).
///
/// The official SDKs do not declare this request. The CLI sends it only if the host announces in the environment that
/// it provides tokens. The answer is `{"authToken": string | null}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HostAuthTokenRefresh {
    /// The status with which the token was refused.
    pub status: Option<Value>,
}
