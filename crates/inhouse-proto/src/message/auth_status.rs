use crate::open::open_struct;

open_struct! {
    /// How a login is going.
    pub struct AuthStatusMessage ["type" = "auth_status"] {
        /// Whether it is still going on.
        pub is_authenticating as "isAuthenticating": bool,
        /// What the login printed.
        pub output: Option<Vec<String>>,
        /// Why it failed.
        pub error: Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
