use inhouse::Options;
use inhouse::query;
use inhouse::tool::{Tool, ToolError, ToolServer};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use opentelemetry::trace::Status;
use serde_json::json;

use crate::Exported;

#[tokio::test]
async fn failed_tool_and_failed_turn_are_exported_with_their_status_and_parents() {
    let exported = Exported::install();
    let fail = async || Err::<&str, _>(ToolError::new("secret"));
    let server = ToolServer::new("s").tool(Tool::new("fail", "Fail", fail));
    let options = Options::new().tool_server(server);
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let messages = query("Hi").options(options).transport(transport).await;
        messages.unwrap().finish().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.call_tool("s", "fail", json!({})).await;
        cli.error_result("error_max_turns", &[]).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
    let tool = exported.span("execute_tool fail");
    let turn = exported.span("invoke_agent");
    let session = exported.span("inhouse::session");
    assert_eq!(tool.status, Status::error("error"));
    assert_eq!(turn.status, Status::error("error_max_turns"));
    assert_eq!(session.status, Status::Unset);
    assert_eq!(tool.parent_span_id, turn.span_context.span_id());
    assert_eq!(turn.parent_span_id, session.span_context.span_id());
}
