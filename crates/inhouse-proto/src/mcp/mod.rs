//! The part of MCP that a server of tools speaks, without I/O.
//!
//! [`Rpc`] is a JSON-RPC message read in place and [`ToolCall`] its parameters; [`ToolDefinition`], [`Content`] and
//! [`CallToolResult`] are what tools consist of.

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
pub use self::payload::{
    AnyResult, ResultPlace, WriteResult, acknowledgement, error_payload, result_payload,
};
pub use self::result::CallToolResult;
pub use self::rpc::{ErrorCode, Rpc, RpcError};

/// The MCP versions that in-process servers speak with the CLI, newest first.
///
/// 2026-07-28 is left out on purpose. CLI 2.1.197 and 2.1.325 open an in-process server with
/// `initialize` and version 2025-11-25, as the recordings `mcp_in_process` show; 2.1.325 uses
/// 2026-07-28 in-process only for a server whose manifest announces it, and gains nothing there that
/// tools need. Tools served to other programs (`serve_stdio`, `into_rmcp` of `inhouse`) speak
/// 2026-07-28 as well: `rmcp` negotiates the version there.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version to answer a client's wish with: its own if it is known, else the newest.
#[must_use]
pub fn negotiate(wish: Option<&str>) -> &'static str {
    PROTOCOL_VERSIONS
        .into_iter()
        .find(|version| Some(*version) == wish)
        .unwrap_or(PROTOCOL_VERSIONS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_version_is_echoed_and_any_other_answered_with_the_newest() {
        for version in PROTOCOL_VERSIONS {
            assert_eq!(negotiate(Some(version)), version);
        }
        assert_eq!(negotiate(Some("1999-01-01")), "2025-11-25");
        assert_eq!(negotiate(None), "2025-11-25");
    }
}
