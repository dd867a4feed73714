use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The reason why a request to an [`McpClient`](super::McpClient) failed.
///
/// Converts into a [`ToolError`](super::ToolError) with `?`.
///
/// ```
/// use inhouse::tool::{McpClient, McpClientError, SamplingRequest, Tool, ToolError, ToolServer};
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let motto = Tool::new("motto", "Invent a motto", async |client: McpClient| {
///     match client.sample(&SamplingRequest::new("Invent a motto.", 50)).await {
///         Ok(answer) => Ok(answer.all_text()),
///         Err(McpClientError::Unsupported { .. } | McpClientError::NoClient) => {
///             Ok("Slow and steady.".to_owned())
///         }
///         Err(error) => Err(ToolError::from(error)),
///     }
/// });
/// let server = ToolServer::new("mottos").tool(motto);
/// assert_eq!(server.call("motto", json!({})).await.all_text(), "Slow and steady.");
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum McpClientError {
    /// The client did not declare the capability that the request needs. Nothing was sent.
    Unsupported {
        /// The capability, such as `elicitation`.
        capability: &'static str,
    },
    /// The call does not come from a client. Nothing was sent.
    NoClient,
    /// The client answered with an error.
    Rejected {
        /// The JSON-RPC error code.
        code: i32,
        /// The text of the client.
        message: String,
    },
    /// The form or the prompt has members that MCP does not allow. Nothing was sent.
    InvalidRequest(serde_json::Error),
    /// The client's answer does not have the expected form.
    InvalidAnswer(serde_json::Error),
    /// The client did not answer in time.
    TimedOut(
        /// The limit, see [`McpClient::timeout`](super::McpClient::timeout).
        Duration,
    ),
    /// The call or the session ended before the client answered.
    Ended,
}

impl fmt::Display for McpClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { capability } => {
                write!(f, "the MCP client does not support {capability}")
            }
            Self::NoClient => f.write_str("there is no MCP client that could answer"),
            Self::Rejected { code, message } => {
                write!(f, "the MCP client rejected the request: {message} ({code})")
            }
            Self::InvalidRequest(_) => f.write_str("MCP does not allow this request"),
            Self::InvalidAnswer(_) => f.write_str("the answer of the MCP client is invalid"),
            Self::TimedOut(limit) => write!(f, "the MCP client did not answer within {limit:?}"),
            Self::Ended => f.write_str("the call ended before the MCP client answered"),
        }
    }
}

impl Error for McpClientError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::InvalidRequest(error) | Self::InvalidAnswer(error) => Some(error),
            _ => None,
        }
    }
}
