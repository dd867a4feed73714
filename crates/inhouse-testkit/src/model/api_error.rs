use std::time::Duration;

use serde_json::{Value, json};

/// An error that the API answers with instead of a message.
///
/// Made by [`Turn::error`](super::Turn::error). The type in the body follows from the status, as the API has it: the CLI looks at both
/// (a body of type `overloaded_error` counts as an overload under any status).
///
/// # What the CLI makes of it
///
/// Each attempt is a request of its own and takes a turn of the script. Seen with 2.1.325 and 2.1.197:
///
/// | status | attempts |
/// |---|---|
/// | 401, 429, 500 | up to 11, after pauses of about 0.5 s, 1 s, 2 s …, each announced by an `api_retry` frame |
/// | 529 | 3, with the same pauses |
/// | 404 | 2, at once, the second without streaming |
/// | 400 | 1 with 2.1.197; 6 with 2.1.325, at once and unannounced |
///
/// `CLAUDE_CODE_MAX_RETRIES` in the environment of the CLI sets the number of announced retries, and 0 turns them off. A
/// test of an error that stays therefore answers with [`when`](super::ScriptedModel::when), not with a turn.
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

    /// The text in the error's body, which the CLI shows to its user.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Tells the client how long to wait, in the header `retry-after`.
    ///
    /// The header counts whole seconds; a fraction is rounded up. The CLI ignores a zero.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        self.headers.push(("retry-after", seconds.to_string()));
        self
    }

    /// Tells the client not to try again, in the header `x-should-retry`.
    ///
    /// The CLI obeys for 401, 429 and 500, and 2.1.325 for 529 too; attempts that it does not announce it makes all the same.
    #[must_use]
    pub fn no_retry(mut self) -> Self {
        self.headers.push(("x-should-retry", "false".to_owned()));
        self
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn headers(&self) -> &[(&'static str, String)] {
        &self.headers
    }

    pub(super) fn body(&self) -> Value {
        let (kind, usual_message) = kind_of(self.status);
        let message = self.message.as_deref().unwrap_or(usual_message);
        json!({ "type": "error", "error": { "type": kind, "message": message } })
    }
}

fn kind_of(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => ("authentication_error", "The key is not valid."),
        403 => ("permission_error", "The key may not do this."),
        404 => ("not_found_error", "There is no such thing."),
        413 => ("request_too_large", "The request is too large."),
        429 => ("rate_limit_error", "There were too many requests."),
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
