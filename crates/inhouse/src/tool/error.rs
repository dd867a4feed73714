use std::error::Error;
use std::fmt;

use inhouse_proto::mcp::CallToolResult;

use crate::error::error_chain;

/// The error of a tool, which Claude reads as the result of the call.
///
/// Claude can try something else, so the text says what was wrong and what would work. Any error
/// converts into this type with `?`; the text then contains the whole chain of causes. Keep secrets
/// out of error texts, or create the error by hand.
///
/// ```
/// use inhouse::tool::{Tool, ToolError, ToolServer};
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let port = Tool::new("port", "Read the port", async || {
///     let port: u16 = "many".parse()?;
///     Ok::<_, ToolError>(port)
/// });
/// let result = ToolServer::new("config").tool(port).call("port", json!({})).await;
/// assert!(result.is_error);
/// assert_eq!(result.all_text(), "invalid digit found in string");
/// # });
/// ```
//
// Like `anyhow::Error`, this type does not implement `std::error::Error`: the blanket `From` below
// would overlap with `From<T> for T`.
pub struct ToolError {
    result: CallToolResult,
}

impl ToolError {
    /// Creates an error with a text.
    ///
    /// ```
    /// use inhouse::tool::ToolError;
    ///
    /// let error = ToolError::new("no such date: use a date like 2026-05-01");
    /// assert_eq!(error.to_string(), "no such date: use a date like 2026-05-01");
    /// ```
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            result: CallToolResult::error(text),
        }
    }

    /// Creates an error with content of any kind, such as a screenshot. Sets `is_error`.
    ///
    /// ```
    /// use inhouse::tool::{CallToolResult, Content, ToolError};
    ///
    /// let screenshot = CallToolResult::new([Content::image("image/png", "iVBORw0KGgo=")]);
    /// let error = ToolError::with_result(screenshot);
    /// assert!(error.into_result().is_error);
    /// ```
    #[must_use]
    pub fn with_result(mut result: CallToolResult) -> Self {
        result.is_error = true;
        Self { result }
    }

    /// Returns the result that is sent to the CLI.
    ///
    /// ```
    /// use inhouse::tool::ToolError;
    ///
    /// let result = ToolError::new("the disk is full").into_result();
    /// assert!(result.is_error);
    /// assert_eq!(result.all_text(), "the disk is full");
    /// ```
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
