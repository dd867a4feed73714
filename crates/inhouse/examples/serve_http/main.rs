//! Tools served over streamable HTTP, for any MCP client.
//!
//! `cargo run --example serve_http --features rmcp` prints the address, for
//! `claude mcp add --transport http words <address>` or `McpServer::http("<address>")`.

#![allow(clippy::print_stdout, reason = "the address is the output")]

mod http;

use inhouse::tool;
use inhouse::tool::{Json, ToolServer};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::net::TcpListener;

#[derive(Serialize, JsonSchema)]
struct Size {
    words: usize,
    characters: usize,
}

/// Measure a text.
#[tool(read_only)]
async fn measure(
    /** The text */
    text: String,
) -> Json<Size> {
    Json(Size {
        words: text.split_whitespace().count(),
        characters: text.chars().count(),
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let handler = ToolServer::new("words")
        .version("1.0.0")
        .tool(measure::tool())
        .into_rmcp()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    http::serve(listener, handler).await?;
    Ok(())
}
