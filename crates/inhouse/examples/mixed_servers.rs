//! An in-process MCP server next to an external one.
//!
//! Run it with `-- --live` and the command of a stdio MCP server, for example
//! `-- --live npx some-mcp-server`. Without arguments it prints the command line of the CLI.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use inhouse::launch::{HostEnvironment, Plan};
use inhouse::options::McpServer;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let live = arguments
        .next()
        .is_some_and(|argument| argument == "--live");
    let command = arguments.next().unwrap_or_else(|| "notes-mcp".to_owned());

    let clock =
        ToolServer::new("clock").tool(Tool::new("now", "Get the current time", async || "noon"));
    let options = Options::new()
        .tool_server(clock)
        .mcp_server("notes", McpServer::stdio(command).args(arguments))
        .allow_tools(["mcp__clock", "mcp__notes"]);

    if !live {
        println!("(no CLI is started; use -- --live with the command of a stdio MCP server)");
        let plan = Plan::new(&options, "claude", &HostEnvironment::current())?;
        for argument in &plan.launch.command.args {
            println!("  {}", argument.to_string_lossy());
        }
        println!(
            "the server `clock` runs in this process: the CLI gets only its name and its tools"
        );
        return Ok(());
    }
    let client = Client::connect(options).await?;
    for server in client.control().mcp_status().await? {
        println!("{}: {:?}", server.name, server.status);
    }
    client.close().await.map(drop)
}
