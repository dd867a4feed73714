use std::error::Error;
use std::fmt;

/// Why a handler of the host could not decide, in words.
///
/// Made from any error with `?`, so that a handler can use whatever it needs:
///
/// ```
/// use inhouse::{Asked, HandlerError};
/// use inhouse::permission::{Decision, CanUseTool};
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
/// What becomes of it depends on what was asked. About a tool call or a question it never is a yes:
/// see [permissions](crate::guide::permissions). A hook that fails is passed over, unless its matcher
/// says otherwise: see [hooks](crate::guide::hooks). The model may read the text, with its whole chain of causes
/// when it was made with `?`. Keep secrets out of error texts, or make the error by hand.
//
// Like `anyhow::Error` it is not a `std::error::Error` itself: otherwise it could not be made from
// every one.
pub struct HandlerError(String);

impl HandlerError {
    /// A failure in your own words.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self(with_causes(&*error.into()))
    }
}

/// Returns the text of an error and of its causes, without a cause that the text before it has named.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
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
