//! Tools as a program that any MCP client can start.
//!
//! `claude mcp add clock -- cargo run --example serve_stdio`, or from another agent:
//! `McpServer::stdio("…/serve_stdio")`.

use inhouse::tool;
use inhouse::tool::{CallId, ToolError, ToolServer};

/// Count the words of a text.
#[tool(read_only)]
async fn count_words(
    /** The text */
    text: String,
) -> Result<usize, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::new("the text has no words: give another one"));
    }
    Ok(text.split_whitespace().count())
}

/// The id by which the conversation names this call.
#[tool(read_only)]
async fn call_id(CallId(id): CallId) -> String {
    id
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> inhouse::Result<()> {
    ToolServer::new("words")
        .version("1.0.0")
        .always_load()
        .tool(count_words::tool())
        .tool(call_id::tool())
        .serve_stdio()
        .await
}
