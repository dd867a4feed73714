//! A tool with the maximum number of extractors.

use inhouse::tool;
use inhouse::tool::{CallId, ToolServer};

/// Take seven extractors and seven arguments.
#[tool]
#[allow(clippy::too_many_arguments)]
fn take(
    _: CallId,
    a: u8,
    _: CallId,
    b: u8,
    _: CallId,
    c: u8,
    _: CallId,
    d: u8,
    _: CallId,
    e: u8,
    _: CallId,
    f: u8,
    _: CallId,
    g: u8,
) -> u8 {
    a + b + c + d + e + f + g
}

#[tokio::test]
async fn arguments_and_extractors_keep_their_positions() {
    let server = ToolServer::new("test").tool(take::tool());
    let arguments = serde_json::json!({"a": 1, "b": 2, "c": 4, "d": 8, "e": 16, "f": 32, "g": 64});
    assert_eq!(server.call("take", arguments).await.all_text(), "127");
}
