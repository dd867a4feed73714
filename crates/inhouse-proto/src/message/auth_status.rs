use inhouse_macros::Open;

/// How a login is going.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AuthStatusMessage {
    /// Whether it is still going on.
    #[serde(rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// What the login printed.
    pub output: Option<Vec<String>>,
    /// Why it failed.
    pub error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
