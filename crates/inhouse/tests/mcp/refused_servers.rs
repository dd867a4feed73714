//! Calls of a server that the CLI has refused.

use inhouse::error::ErrorKind;
use inhouse::tool::ToolServer;
use inhouse::{McpServers, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;

use crate::probe::endless;
use crate::support::code;

#[tokio::test(start_paused = true)]
async fn calls_of_a_refused_server_are_cancelled() {
    let (wait, mut journal) = endless("wait");
    FakeCli::play(
        Options::new(),
        async |client| {
            let servers = McpServers::new().tool_server(ToolServer::new("refused").tool(wait));
            let error = client.control().set_mcp_servers(servers).await;
            assert_eq!(error.expect_err("refused").kind(), ErrorKind::Refused);
            assert_eq!(journal.next().await, "toolu_1 began");
            journal.expect_stopped("toolu_1").await;
            Ok(())
        },
        async |cli| {
            let change = cli.expect_request("mcp_set_servers").await;
            let open = cli.begin_tool_call("refused", "wait", json!({})).await;
            change.refuse("no", None).await;
            let answer = cli.expect_answer(open.request_id()).await.payload();
            assert_eq!(code(open.id(), &answer["mcp_response"]), -32800);
        },
    )
    .await;
}
