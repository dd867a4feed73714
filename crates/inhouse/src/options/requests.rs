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

/// Options for other control requests of the CLI.
impl Options {
    /// Sets the handler for control requests of this subtype.
    ///
    /// For subtypes that inhouse has no typed handler for, such as those with which the CLI requests
    /// a new token. The handler gets the `request` object and returns the payload of the response.
    /// Each request runs in its own task, so handlers run concurrently and never block the session.
    /// An error or a panic of the handler is sent to the CLI as an error response; the handler is
    /// dropped if the CLI cancels its request.
    ///
    /// A request that cannot be parsed, for instance because it is nested deeper than `serde_json`
    /// allows (128 levels), does not reach the handler: the CLI gets an error response.
    ///
    /// The CLI sends some requests only if an environment variable announces a handler. A handler
    /// for `oauth_token_refresh` sets `CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH`, one for
    /// `host_auth_token_refresh` sets `CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH`. CLI 2.1.325 requests
    /// OAuth tokens only if `CLAUDE_CODE_ENTRYPOINT` is `claude-desktop`, `local-agent` or
    /// `claude-vscode`; inhouse sets it to `sdk-cli` unless [`env`](Self::env) sets another value.
    ///
    /// Default: such requests are answered with an error.
    ///
    /// ```
    /// use inhouse::Options;
    /// use serde_json::{Value, json};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().on_request("oauth_token_refresh", async |_: Value| {
    ///     Ok::<_, std::io::Error>(json!({"accessToken": null, "reason": "signed_out"}))
    /// });
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let id = cli.ask(json!({"subtype": "oauth_token_refresh"})).await;
    /// assert_eq!(cli.expect_answer(&id).await.payload()["reason"], "signed_out");
    /// # }));
    /// ```
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
