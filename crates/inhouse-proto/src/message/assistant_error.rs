use crate::open::open_enum;

open_enum! {
    /// How a call of the API failed.
    pub enum AssistantError {
        /// The credentials were refused.
        AuthenticationFailed = "authentication_failed",
        /// The organization does not allow this login.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account must be verified first.
        VerificationRequired = "verification_required",
        /// There is a problem with payment.
        BillingError = "billing_error",
        /// A rate limit was reached.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The request was not acceptable.
        InvalidRequest = "invalid_request",
        /// The model does not exist or is out of reach.
        ModelNotFound = "model_not_found",
        /// The API failed.
        ServerError = "server_error",
        /// The CLI itself says `unknown`.
        Unspecified = "unknown",
        /// The answer was longer than allowed.
        MaxOutputTokens = "max_output_tokens",
        /// The credentials of a cloud provider do not work.
        CloudCredentialError = "cloud_credential_error",
    }
}
