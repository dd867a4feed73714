use std::time::Duration;

use serde_json::{Value, json};

/// An error response of the API.
///
/// Created by [`Turn::error`](super::Turn::error). The error type in the body follows from the status, as in the API. The CLI checks
/// both: a body of type `overloaded_error` is an overload under any status.
///
/// # Retries of the CLI
///
/// Each attempt is a separate request and takes a turn of the script. Observed with 2.1.325 and 2.1.197:
///
/// | status | attempts |
/// |---|---|
/// | 401, 429, 500 | up to 11, after pauses of about 0.5 s, 1 s, 2 s …, each announced by an `api_retry` frame |
/// | 529 | 3, with the same pauses |
/// | 404 | 2, at once, the second without streaming |
/// | 400 | 1 with 2.1.197; 6 with 2.1.325, at once and unannounced |
///
/// `CLAUDE_CODE_MAX_RETRIES` in the environment of the CLI sets the number of announced retries; 0 disables them. To test a
/// permanent error, use [`when`](super::ScriptedModel::when) instead of a turn.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: u16,
    message: Option<String>,
    headers: Vec<(&'static str, String)>,
}

impl ApiError {
    pub(super) fn new(status: u16) -> Self {
        Self {
            status,
            message: None,
            headers: Vec::new(),
        }
    }

    /// Sets the message in the error body, which the CLI shows to its user.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Sets the header `retry-after`.
    ///
    /// The header has whole seconds; a fraction is rounded up. The CLI ignores a zero.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        self.headers.push(("retry-after", seconds.to_string()));
        self
    }

    /// Sets the header `x-should-retry: false`.
    ///
    /// The CLI respects it for 401, 429 and 500, and 2.1.325 also for 529, but still makes its unannounced attempts.
    #[must_use]
    pub fn no_retry(mut self) -> Self {
        self.headers.push(("x-should-retry", "false".to_owned()));
        self
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// Returns whether the header `x-should-retry` rules out retries.
    pub(crate) fn is_final(&self) -> bool {
        self.headers
            .iter()
            .any(|(name, value)| *name == "x-should-retry" && value == "false")
    }

    pub(super) fn headers(&self) -> &[(&'static str, String)] {
        &self.headers
    }

    pub(crate) fn body(&self) -> Value {
        let (kind, default_message) = kind_of(self.status);
        let message = self.message.as_deref().unwrap_or(default_message);
        json!({ "type": "error", "error": { "type": kind, "message": message } })
    }
}

fn kind_of(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => ("authentication_error", "The key is not valid."),
        403 => ("permission_error", "The key has no permission."),
        404 => ("not_found_error", "Not found."),
        413 => ("request_too_large", "The request is too large."),
        429 => ("rate_limit_error", "Too many requests."),
        529 => ("overloaded_error", "Overloaded"),
        400..=499 => ("invalid_request_error", "The request is not valid."),
        _ => ("api_error", "Internal server error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_type_follows_from_the_status() {
        for (status, kind) in [
            (400, "invalid_request_error"),
            (429, "rate_limit_error"),
            (500, "api_error"),
            (503, "api_error"),
            (529, "overloaded_error"),
        ] {
            assert_eq!(
                ApiError::new(status).body()["error"]["type"],
                kind,
                "{status}"
            );
        }
    }

    #[test]
    fn fraction_of_a_second_is_rounded_up() {
        let error = ApiError::new(429).retry_after(Duration::from_millis(1200));
        assert_eq!(error.headers(), [("retry-after", "2".to_owned())]);
    }
}
