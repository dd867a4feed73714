//! Checks that a session starts and that the CLI is logged in.

use inhouse::control::outgoing::{AccountInfo, ApiProvider};
use inhouse::{Client, ErrorKind, Options};

use super::Check;

const NAME: &str = "Login";

const LOG_IN: &str = "Set ANTHROPIC_API_KEY, or run `claude` in a terminal and log in with /login";

/// Starts a session with the user's settings, and reads what the CLI says about the account. No prompt is sent.
pub(super) async fn check(options: Options) -> Check {
    // A check neither updates the CLI nor reports its use.
    let options = options
        .persist_session(false)
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    let client = match Client::connect(options).await {
        Ok(client) => client,
        Err(error) => {
            let remedy = match error.kind() {
                ErrorKind::Timeout => {
                    "Run `claude` in a terminal to see what it waits for, such as a question about trust"
                }
                _ => "The text above is from the CLI; `claude` in a terminal may say more",
            };
            return Check::failed(
                NAME,
                format!("no session can be started: {error:?}"),
                remedy,
            );
        }
    };
    let account = client.control().initialization().account.clone();
    // The answer is there; how the CLI ends changes nothing.
    let _ = client.close().await;
    match account.as_ref().and_then(credentials) {
        Some(credentials) => Check::passed(NAME, credentials),
        None => Check::failed(NAME, "the CLI is not logged in", LOG_IN),
    }
}

/// Returns what the CLI authenticates with.
fn credentials(account: &AccountInfo) -> Option<String> {
    let source = |source: &Option<String>| source.clone().filter(|source| source != "none");
    if let Some(email) = &account.email {
        return Some(format!("logged in as {email}"));
    }
    if let Some(source) = source(&account.api_key_source).or_else(|| source(&account.token_source))
    {
        return Some(format!("credentials from {source}"));
    }
    match &account.api_provider {
        None | Some(ApiProvider::FirstParty) => None,
        Some(provider) => Some(format!("credentials of the provider {provider:?}")),
    }
}
