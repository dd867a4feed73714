use std::error::Error;
use std::fmt;

/// Why a handler of the host could not decide, in words.
///
/// Made from any error with `?`, so that a handler can use whatever it needs:
///
/// ```
/// use inhouse::HandlerError;
/// use inhouse::permission::{Decision, PermissionRequest};
///
/// async fn read_only(request: PermissionRequest) -> Result<Decision, HandlerError> {
///     let list = std::fs::read_to_string("/home/me/allowed-tools")?;
///     Ok(match list.lines().any(|tool| tool == request.tool_name) {
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
        let error = error.into();
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Self(text)
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
