use std::fmt::{self, Display};
use std::future::Future;

use serde_json::Value;

use super::Options;
use crate::custom_requests::CustomRequests;

#[derive(Clone, Default)]
pub(crate) struct RequestOptions {
    pub(crate) handlers: CustomRequests,
}

impl fmt::Debug for RequestOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.handlers.subtypes()).finish()
    }
}

/// Requests of the CLI.
impl Options {
    /// Answers the requests of one subtype that the CLI makes of the host.
    ///
    /// For subtypes that inhouse has no handler of its own for, such as those by which a CLI asks
    /// for a new token. The handler gets the `request` object and answers with the payload; its
    /// error is told to the CLI. Each request has a task of its own, so handlers run side by side
    /// and nothing waits for them; one that panics is answered with an error, and one whose request
    /// the CLI withdraws is dropped.
    ///
    /// A request that cannot be parsed, for instance because it is nested deeper than `serde_json`
    /// allows (128 levels), does not reach the handler: the CLI gets an error that says why.
    ///
    /// The CLI makes some requests only if a variable tells it that the host answers them. A handler for
    /// `oauth_token_refresh` sets `CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH`, one for
    /// `host_auth_token_refresh` sets `CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH`. CLI 2.1.325 also looks at
    /// `CLAUDE_CODE_ENTRYPOINT`: it asks only hosts that give `claude-desktop`, `local-agent` or
    /// `claude-vscode` there for an OAuth token, and inhouse gives `sdk-cli` unless
    /// [`env`](Self::env) sets another value.
    ///
    /// ```
    /// use inhouse::Options;
    /// use serde_json::{Value, json};
    ///
    /// let options = Options::new().on_request("oauth_token_refresh", async |_: Value| {
    ///     Ok::<_, std::io::Error>(json!({"accessToken": null, "reason": "signed_out"}))
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn on_request<H, F, E>(mut self, subtype: impl Into<String>, handler: H) -> Self
    where
        H: FnOnce(Value) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Value, E>> + Send + 'static,
        E: Display,
    {
        self.requests.handlers.insert(subtype.into(), handler);
        self
    }
}
