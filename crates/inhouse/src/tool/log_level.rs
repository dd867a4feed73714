use serde::{Deserialize, Serialize};

/// The severity of a log message, see [`McpClient::log`](super::McpClient::log).
///
/// The levels are those of syslog, and are ordered: a client that sets a level gets the messages of
/// that level and above.
///
/// ```
/// use inhouse::tool::LogLevel;
///
/// assert!(LogLevel::Error > LogLevel::Info);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Detailed information for debugging.
    Debug,
    /// General information, such as the progress of an operation.
    Info,
    /// Normal but significant events, such as a changed configuration.
    Notice,
    /// Unusual conditions, such as the use of a deprecated feature.
    Warning,
    /// Failed operations that the tool can survive.
    Error,
    /// Failures of a component.
    Critical,
    /// Conditions that need action at once, such as lost data.
    Alert,
    /// Conditions in which the system is unusable.
    Emergency,
}
