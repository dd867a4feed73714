use inhouse_macros::Open;

/// Progress of a login.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AuthStatusMessage {
    /// Whether the login is still in progress.
    #[serde(rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// The lines that the login printed.
    pub output: Option<Vec<String>>,
    /// Reason why the login failed; `None` if it has not failed.
    pub error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
