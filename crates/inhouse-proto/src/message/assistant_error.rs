use inhouse_macros::Open;

/// The kind of failure of an API call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AssistantError {
    /// The API rejected the credentials.
    AuthenticationFailed,
    /// The organization does not allow this login.
    OauthOrgNotAllowed,
    /// The account is on hold.
    AccountOnHold,
    /// The account must be verified first.
    VerificationRequired,
    /// The account has a billing problem.
    BillingError,
    /// A rate limit was reached.
    RateLimit,
    /// The API is overloaded.
    Overloaded,
    /// The API rejected the request as invalid.
    InvalidRequest,
    /// The model does not exist or is not available to the account.
    ModelNotFound,
    /// The API failed with a server error.
    ServerError,
    /// The CLI reports `unknown` as the kind.
    #[serde(rename = "unknown")]
    Unspecified,
    /// The answer exceeded the limit on output tokens.
    MaxOutputTokens,
    /// The credentials for a cloud provider do not work.
    CloudCredentialError,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
