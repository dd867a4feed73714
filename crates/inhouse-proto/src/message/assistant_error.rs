use inhouse_macros::Open;

/// How a call of the API failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AssistantError {
    /// The credentials were refused.
    AuthenticationFailed,
    /// The organization does not allow this login.
    OauthOrgNotAllowed,
    /// The account is on hold.
    AccountOnHold,
    /// The account must be verified first.
    VerificationRequired,
    /// There is a problem with payment.
    BillingError,
    /// A rate limit was reached.
    RateLimit,
    /// The API is overloaded.
    Overloaded,
    /// The request was not acceptable.
    InvalidRequest,
    /// The model does not exist or is out of reach.
    ModelNotFound,
    /// The API failed.
    ServerError,
    /// The CLI itself says `unknown`.
    #[serde(rename = "unknown")]
    Unspecified,
    /// The answer was longer than allowed.
    MaxOutputTokens,
    /// The credentials of a cloud provider do not work.
    CloudCredentialError,
    /// A value that this version does not know.
    Unknown(String),
}
