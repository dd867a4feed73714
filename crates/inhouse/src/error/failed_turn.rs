//! Explains an error result: what failed, what to do about it, and what the CLI said.

use inhouse_proto::message::{
    AssistantError, Received, ResultMessage, ResultSubtype, StartupFailureReason, TerminalReason,
};

use super::{Error, ErrorKind};
use crate::process::redact;

impl Error {
    /// Returns the error for a turn that ended with an error result.
    ///
    /// `api_error` is the `error` member of the turn's last assistant message, which the result
    /// itself does not repeat.
    pub(crate) fn failed_turn(
        result: Received<ResultMessage>,
        api_error: Option<&AssistantError>,
    ) -> Self {
        let said = result.failure();
        // The API may quote a credential that it rejects.
        let said = redact(said.as_deref().unwrap_or("nothing"));
        let text = match Cause::of(&result, api_error) {
            Some(Cause { what, remedy }) => format!("{what}; {remedy} (the CLI said: {said})"),
            None => format!("the turn failed: {said}"),
        };
        Self::new(ErrorKind::Failed, text).with_result(result)
    }
}

/// The cause of a failed turn, and its remedy.
struct Cause {
    what: String,
    remedy: &'static str,
}

impl Cause {
    fn of(result: &ResultMessage, api_error: Option<&AssistantError>) -> Option<Self> {
        if let Some(reason) = &result.startup_failure_reason {
            return Some(startup(reason));
        }
        match result.subtype {
            ResultSubtype::Success => api(result, api_error),
            ResultSubtype::ErrorMaxTurns => Some(cause(
                "the turn reached its limit of model calls",
                "raise `Options::max_turns`",
            )),
            ResultSubtype::ErrorMaxBudgetUsd => Some(cause(
                "the session spent its budget",
                "raise `Options::max_budget_usd`",
            )),
            ResultSubtype::ErrorMaxStructuredOutputRetries => Some(cause(
                "the model wrote no value that satisfies the output schema",
                "simplify the schema, or describe in the prompt what is wanted",
            )),
            _ => None,
        }
    }
}

fn cause(what: impl Into<String>, remedy: &'static str) -> Cause {
    Cause {
        what: what.into(),
        remedy,
    }
}

fn startup(reason: &StartupFailureReason) -> Cause {
    match reason {
        StartupFailureReason::CliVersionTooOld => cause(
            "the CLI refused to start because it is too old",
            "update it with `npm install -g @anthropic-ai/claude-code`",
        ),
        reason => cause(
            format!("the CLI refused to start ({reason})"),
            "change what it names, or ask the administrator of its settings",
        ),
    }
}

/// Explains a failed API call.
///
/// The error kind alone is not enough: CLI 2.1.325 says `unknown` for HTTP 402 and `server_error`
/// for HTTP 529, and 2.1.197 sends no `api_error_type`.
fn api(result: &ResultMessage, error: Option<&AssistantError>) -> Option<Cause> {
    use AssistantError as Kind;
    let status = result.api_error_status;
    let error = match (error, status, result.api_error_type.as_deref()) {
        (Some(Kind::BillingError), ..) | (_, Some(402), _) | (_, _, Some("billing_error")) => {
            Kind::BillingError
        }
        (_, Some(529), _) | (_, _, Some("overloaded_error")) => Kind::Overloaded,
        (Some(Kind::Unspecified | Kind::Unknown(_)) | None, Some(status), _) => match status {
            401 | 403 => Kind::AuthenticationFailed,
            429 => Kind::RateLimit,
            500.. => Kind::ServerError,
            _ => Kind::InvalidRequest,
        },
        (Some(error), ..) => error.clone(),
        (None, None, _) if result.terminal_reason == Some(TerminalReason::ApiError) => {
            Kind::Unspecified
        }
        (None, None, _) => return None,
    };
    let with_status = |what: &str| match status {
        Some(status) => format!("{what} (HTTP {status})"),
        None => what.to_owned(),
    };
    let (what, remedy) = match error {
        // Without a status, no request was sent at all.
        Kind::AuthenticationFailed if status.is_none() => (
            "Claude Code is not logged in",
            "set `ANTHROPIC_API_KEY`, or run `claude` in a terminal and log in with `/login`",
        ),
        Kind::AuthenticationFailed if status == Some(403) => (
            "the API denied access",
            "check what the account and its organization may use",
        ),
        Kind::AuthenticationFailed => (
            "the API rejected the credentials",
            "check `ANTHROPIC_API_KEY`, or run `claude` in a terminal and log in again with `/login`",
        ),
        Kind::OauthOrgNotAllowed | Kind::AccountOnHold | Kind::VerificationRequired => (
            "the account cannot be used",
            "sign in to the account in a browser and follow what it asks for",
        ),
        Kind::BillingError => (
            "the account has no credit",
            "add credit or check the payment of the account that the key belongs to",
        ),
        Kind::ModelNotFound => (
            "the model does not exist or the account may not use it",
            "check `Options::model` and `Options::fallback_model`",
        ),
        Kind::RateLimit => (
            "the rate limit of the account was reached",
            "wait and try again, or send fewer requests at once",
        ),
        Kind::Overloaded => (
            "the API is overloaded",
            "try again later, or name another model with `Options::fallback_model`",
        ),
        Kind::ServerError => ("the API failed", "try again: this is usually temporary"),
        Kind::CloudCredentialError => (
            "the credentials of the cloud provider do not work",
            "renew them and check the variables of the provider in the environment of the CLI",
        ),
        Kind::MaxOutputTokens => (
            "the answer was longer than the model may write",
            "ask for less at once",
        ),
        Kind::InvalidRequest => (
            "the API rejected the request",
            "check the model and the options that shape the request: thinking, betas, output schema",
        ),
        _ => (
            "the call of the API failed",
            "check the network and `ANTHROPIC_BASE_URL`",
        ),
    };
    Some(cause(with_status(what), remedy))
}
