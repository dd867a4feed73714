use std::error::Error;
use std::fmt;

use inhouse_proto::mcp::CallToolResult;

use crate::error::error_chain;

/// Why a tool failed, in words for the model.
///
/// Claude reads the text and can try something else, so say what was wrong and what would work. It
/// is made from any error with `?`:
///
/// ```
/// use inhouse::tool::ToolError;
///
/// async fn read(path: String) -> Result<String, ToolError> {
///     Ok(std::fs::read_to_string(path)?)
/// }
/// ```
///
/// The text of an error made with `?` has its whole chain of causes. Keep secrets out of error
/// texts, or make the error by hand.
//
// Like `anyhow::Error` it is not a `std::error::Error` itself: otherwise it could not be made from
// every one.
pub struct ToolError {
    result: CallToolResult,
}

impl ToolError {
    /// A failure in your own words.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            result: CallToolResult::error(text),
        }
    }

    /// A failure with content of any kind.
    #[must_use]
    pub fn with_result(mut result: CallToolResult) -> Self {
        result.is_error = true;
        Self { result }
    }

    /// What the CLI gets.
    #[must_use]
    pub fn into_result(self) -> CallToolResult {
        self.result
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error_chain(&*error.into()))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.result.all_text())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolError")
            .field(&self.result.all_text())
            .finish()
    }
}
