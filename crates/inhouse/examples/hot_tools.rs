//! A tool that is added while the session runs.
//!
//! Runs offline; `-- --live` uses the real CLI.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use inhouse::tool::{Tool, ToolHandle, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let server = ToolServer::new("shop")
        .always_load()
        .tool(Tool::new("open", "Get whether the shop is open", async || "open").read_only(true));
    let tools = server.handle();
    let options = Options::new()
        .tool_server(server)
        .allow_tools(["mcp__shop"]);

    if std::env::args().any(|argument| argument == "--live") {
        return talk(Client::connect(options).await?, tools).await;
    }
    println!("(with the fake CLI of the test kit; use -- --live for the real one)");
    let (transport, cli) = FakeCli::new();
    let (talked, ()) = tokio::join!(
        async { talk(Client::connect_with(options, transport).await?, tools).await },
        play(cli)
    );
    talked
}

async fn talk(mut client: Client, tools: ToolHandle) -> inhouse::Result<()> {
    println!("tools: {:?}", tools.names());
    println!("{}", client.send("Is the shop open?").await?.text().await?);

    tools.put(Tool::new("price", "Get the price of bread", async || "2.40").read_only(true))?;
    println!("tools: {:?}", tools.names());
    println!(
        "{}",
        client.send("What does bread cost?").await?.text().await?
    );
    client.close().await.map(drop)
}

/// Plays the CLI: two prompts, with a change of the tools between them.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    let open = cli.call_tool("shop", "open", json!({})).await.all_text();
    cli.turn(&format!("Yes, it is {open}.")).await;

    let changed = cli.expect_request("mcp_message").await;
    assert_eq!(
        changed.body()["message"]["method"],
        "notifications/tools/list_changed"
    );
    changed.succeed_empty().await;
    cli.expect_prompt().await;
    let price = cli.call_tool("shop", "price", json!({})).await.all_text();
    cli.turn(&format!("Bread is {price}.")).await;
    cli.expect_end_of_input().await;
}
