use serde_json::Value;

use crate::open::{open_enum, open_struct};

open_struct! {
    /// The CLI needs a new OAuth token.
    ///
    /// Undeclared by the official SDKs; sent only to a host that says in the environment that it has
    /// tokens. The answer is `{"accessToken": string | null, "reason"?: string}`.
    pub struct OauthTokenRefresh ["subtype" = "oauth_token_refresh"] {
        /// What kind of token.
        pub kind: Option<String>,
        /// Whether the token that the CLI has was refused.
        pub token_state: Option<TokenState>,
        /// The call that was refused.
        pub refused_call: Option<RefusedCall>,
    }
}

open_enum! {
    /// What became of the token that the CLI has.
    pub enum TokenState {
        /// It was refused.
        Refused = "refused",
        /// It was not refused.
        NotRefused = "not_refused",
    }
}

open_enum! {
    /// A call that a token was refused for.
    pub enum RefusedCall {
        /// A call to the model.
        Model = "model",
        /// A call to a connector.
        Connector = "connector",
        /// Another call.
        Other = "other",
    }
}

open_struct! {
    /// The CLI needs a new token from the host.
    ///
    /// Undeclared by the official SDKs; sent only to a host that says in the environment that it has
    /// tokens. The answer is `{"authToken": string | null}`.
    pub struct HostAuthTokenRefresh ["subtype" = "host_auth_token_refresh"] {
        /// The status that the token was refused with.
        pub status: Option<Value>,
    }
}
