use std::error::Error;
use std::fmt;

use super::error_chain;

/// An error of a handler: a permission handler, a hook, or another callback.
///
/// Made from any error with `?`, so that a handler can call any fallible function:
///
/// ```
/// use inhouse::permission::{CanUseTool, Decision};
/// use inhouse::{Asked, HandlerError};
///
/// async fn read_only(asked: Asked<CanUseTool>) -> Result<Decision, HandlerError> {
///     let list = std::fs::read_to_string("/home/me/allowed-tools")?;
///     Ok(match list.lines().any(|tool| tool == asked.request.tool_name) {
///         true => Decision::allow(),
///         false => Decision::deny("not on the list"),
///     })
/// }
/// # let _ = read_only;
/// ```
///
/// The effect depends on the handler. A permission handler that fails denies the call, see
/// [permissions](crate::guide::permissions). A hook that fails is ignored by the CLI unless its
/// matcher sets [`on_failure`](crate::hook::Matcher::on_failure), see [hooks](crate::guide::hooks).
///
/// The model may read the text, which includes all causes if the error was made with `?`. Keep secrets
/// out of error texts, or create the error with [`new`](Self::new).
//
// Not a `std::error::Error`, like `anyhow::Error`: otherwise `From` for every error would overlap with
// `From<T> for T`.
pub struct HandlerError(String);

impl HandlerError {
    /// Creates an error with this text.
    ///
    /// ```
    /// let error = inhouse::HandlerError::new("the list of tools is empty");
    /// assert_eq!(error.to_string(), "the list of tools is empty");
    /// ```
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self(error_chain(&*error.into()))
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HandlerError").field(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn cause_that_display_shows_is_not_repeated() {
        let error = crate::Error::new(ErrorKind::Protocol, "no answer")
            .with_source(std::io::Error::other("broken pipe"));
        assert_eq!(
            HandlerError::from(error).to_string(),
            "no answer: broken pipe"
        );
    }
}
