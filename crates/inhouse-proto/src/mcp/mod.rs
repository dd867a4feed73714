//! The part of MCP (Model Context Protocol) that a server of tools needs, without I/O.
//!
//! [`Rpc`] is a JSON-RPC message that borrows from its text, and [`ToolCall`] has the parameters of a tool call.
//! [`ToolDefinition`] describes a tool, and [`CallToolResult`] with its [`Content`] is the result of a call.

mod call;
mod content;
mod definition;
mod payload;
mod result;
mod rpc;

pub use self::call::ToolCall;
pub use self::content::{
    AudioContent, Content, EmbeddedResource, ImageContent, ResourceContents, ResourceLink,
    TextContent,
};
pub use self::definition::{ToolAnnotations, ToolDefinition};
// For `inhouse`, which writes a result once, into the frame of its answer.
#[doc(hidden)]
pub use self::payload::{AnyResult, ResultPlace, WriteResult, result_payload};
pub use self::payload::{acknowledgement, error_payload};
pub use self::result::CallToolResult;
pub use self::rpc::{ErrorCode, Rpc, RpcError};

/// The MCP versions that in-process servers support, newest first.
///
/// 2026-07-28 is not supported on purpose. CLI 2.1.197 and 2.1.325 initialize an in-process server with version
/// 2025-11-25, as the recordings `mcp_in_process` show. CLI 2.1.325 uses 2026-07-28 in-process only for a server whose
/// manifest announces it, and tools gain nothing from it. Tools that are served to other programs (`serve_stdio` and
/// `into_rmcp` of `inhouse`) also support 2026-07-28, because `rmcp` negotiates the version there.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Returns the version to answer `initialize` with: the requested one if it is supported, otherwise the newest.
#[must_use]
pub fn negotiate(requested: Option<&str>) -> &'static str {
    PROTOCOL_VERSIONS
        .into_iter()
        .find(|version| Some(*version) == requested)
        .unwrap_or(PROTOCOL_VERSIONS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiate_echoes_a_supported_version_or_returns_the_newest() {
        for version in PROTOCOL_VERSIONS {
            assert_eq!(negotiate(Some(version)), version);
        }
        assert_eq!(negotiate(Some("1999-01-01")), "2025-11-25");
        assert_eq!(negotiate(None), "2025-11-25");
    }
}
