use inhouse::tool::CallToolResult;
use serde_json::{Value, json};

use super::cli::FakeCli;

impl FakeCli {
    /// Calls a tool of a server in the host's process, as Claude would, and returns its result.
    ///
    /// The reader of the conversation sees the call and its result, as with the real CLI. Permissions
    /// and hooks are not part of it: [`ask`](Self::ask) for those.
    ///
    /// Panics when there is no such server, or when the answer is no tool result.
    pub async fn call_tool(
        &mut self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> CallToolResult {
        let call = self.begin_tool_call(server, tool, arguments).await;
        self.finish_tool_call(call).await
    }

    /// Begins a call and does not wait for its result: for calls that run side by side, or are
    /// cancelled.
    pub async fn begin_tool_call(
        &mut self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> ToolCall {
        self.tool_calls += 1;
        let (id, tool_use_id) = (self.tool_calls, format!("toolu_{}", self.tool_calls));
        let name = format!("mcp__{server}__{tool}");
        let call = json!({"type": "tool_use", "id": tool_use_id, "name": name, "input": arguments});
        self.message("assistant", json!([call])).await;
        let request_id = self
            .mcp_message(
                server,
                json!({
                    "jsonrpc": "2.0",
                    "id": id,
                    "method": "tools/call",
                    "params": {
                        "name": tool,
                        "arguments": arguments,
                        "_meta": {"claudecode/toolUseId": tool_use_id, "progressToken": id},
                    },
                }),
            )
            .await;
        ToolCall {
            id,
            request_id,
            tool_use_id,
        }
    }

    /// Waits for the result of a call.
    ///
    /// Panics when the next line of the host is not that result.
    pub async fn finish_tool_call(&mut self, call: ToolCall) -> CallToolResult {
        let answer = self.expect_answer(&call.request_id).await.payload();
        let response = &answer["mcp_response"];
        assert_eq!(
            response["id"], call.id,
            "the answer to another call: {answer}"
        );
        let result: CallToolResult = serde_json::from_value(response["result"].clone())
            .unwrap_or_else(|error| panic!("not a tool result ({error}): {answer}"));
        let content = match &result.structured_content {
            // What the model would read.
            Some(data) => json!(data.to_string()),
            None => json!(result.content),
        };
        let mut block =
            json!({"type": "tool_result", "tool_use_id": call.tool_use_id, "content": content});
        if result.is_error {
            block["is_error"] = json!(true);
        }
        self.message("user", json!([block])).await;
        result
    }

    /// Sends a JSON-RPC message to a server in the host's process; returns the id of the request that
    /// carries it, which the host answers.
    pub async fn mcp_message(&mut self, server: &str, message: Value) -> String {
        let request = json!({"subtype": "mcp_message", "server_name": server, "message": message});
        self.ask(request).await
    }

    async fn message(&mut self, role: &str, content: Value) {
        let line = json!({
            "type": role,
            "message": {"role": role, "content": content},
            "parent_tool_use_id": null,
            "session_id": self.session_id(),
        });
        self.send(line).await;
    }
}

/// A call that waits for its result.
#[derive(Debug)]
pub struct ToolCall {
    id: u64,
    request_id: String,
    tool_use_id: String,
}

impl ToolCall {
    /// The JSON-RPC id of the call, by which `notifications/cancelled` names it.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The id of the control request that carries the call.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }
}
