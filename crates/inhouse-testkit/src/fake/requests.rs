//! Requests of the CLI to the host: tool calls, permissions, hooks.

use inhouse::tool::CallToolResult;
use serde_json::{Value, json};

use super::cli::FakeCli;
use super::session::fresh_id;

impl FakeCli {
    /// Calls an in-process tool of the host, and returns its result.
    ///
    /// The host reads the call and the result as messages too, as with the real CLI. Neither permission
    /// nor hooks are requested first: see [`can_use_tool`](Self::can_use_tool) and [`call_hook`](Self::call_hook).
    ///
    /// Panics if there is no such server, or if the answer is not a tool result.
    pub async fn call_tool(
        &mut self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> CallToolResult {
        let call = self.begin_tool_call(server, tool, arguments).await;
        self.finish_tool_call(call).await
    }

    /// Starts a tool call without waiting for its result, for concurrent or cancelled calls.
    pub async fn begin_tool_call(
        &mut self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> FakeToolCall {
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
        FakeToolCall {
            id,
            request_id,
            tool_use_id,
        }
    }

    /// Waits for the result of a tool call.
    ///
    /// Panics if the next line of the host is not that result.
    pub async fn finish_tool_call(&mut self, call: FakeToolCall) -> CallToolResult {
        let answer = self.expect_answer(&call.request_id).await.payload();
        let response = &answer["mcp_response"];
        assert_eq!(
            response["id"], call.id,
            "this answers another call: {answer}"
        );
        let result: CallToolResult = serde_json::from_value(response["result"].clone())
            .unwrap_or_else(|error| panic!("not a tool result ({error}): {answer}"));
        let content = match &result.structured_content {
            // The CLI shows structured content to the model as text.
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

    /// Sends a JSON-RPC message to an in-process server of the host; returns the id of the control
    /// request that carries it.
    pub async fn mcp_message(&mut self, server: &str, message: Value) -> String {
        let request = json!({"subtype": "mcp_message", "server_name": server, "message": message});
        self.ask(request).await
    }

    /// Requests permission for a tool call, and returns the decision.
    ///
    /// Panics if the host answers with an error.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    /// use inhouse_testkit::FakeCli;
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new()
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("read only")));
    /// FakeCli::play_cli(options, async |cli| {
    ///     let decision = cli.can_use_tool("Bash", json!({"command": "make"})).await;
    ///     assert_eq!(decision["behavior"], "deny");
    ///     assert_eq!(decision["message"], "read only");
    /// })
    /// .await;
    /// # });
    /// ```
    pub async fn can_use_tool(&mut self, tool: &str, input: Value) -> Value {
        self.tool_calls += 1;
        let id = self
            .ask(json!({
                "subtype": "can_use_tool",
                "tool_name": tool,
                "tool_use_id": format!("toolu_{}", self.tool_calls),
                "input": input,
            }))
            .await;
        self.expect_answer(&id).await.payload()
    }

    /// Calls the first hook that the host has registered for `event`, and returns its output.
    ///
    /// `input` has the members of the event, such as `tool_name`; those that every event has are added. The matcher is
    /// not evaluated. Panics if there is no such hook or if it fails.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, UserPromptSubmit};
    /// use inhouse_testkit::FakeCli;
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().hook(Matcher::any(), async |_: UserPromptSubmit, _| {
    ///     Ok(HookOutput::pass().context("Today is Monday."))
    /// });
    /// FakeCli::play_cli(options, async |cli| {
    ///     let output = cli.call_hook("UserPromptSubmit", json!({"prompt": "What day is it?"})).await;
    ///     assert_eq!(output["hookSpecificOutput"]["additionalContext"], "Today is Monday.");
    /// })
    /// .await;
    /// # });
    /// ```
    pub async fn call_hook(&mut self, event: &str, input: Value) -> Value {
        let registered = &self.launched.initialize["hooks"][event][0]["hookCallbackIds"][0];
        let callback_id = registered
            .as_str()
            .unwrap_or_else(|| panic!("the host has no hook for {event}"))
            .to_owned();
        let mut line = json!({
            "session_id": self.session_id(),
            "transcript_path": "/project/transcript.jsonl",
            "cwd": "/project",
            "hook_event_name": event,
        });
        for (name, value) in input.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        let mut request = json!({
            "subtype": "hook_callback", "callback_id": callback_id, "input": line,
        });
        if let Some(tool_use_id) = input.get("tool_use_id") {
            request["tool_use_id"] = tool_use_id.clone();
        }
        let id = self.ask(request).await;
        self.expect_answer(&id).await.payload()
    }

    async fn message(&mut self, role: &str, content: Value) {
        let line = json!({
            "type": role,
            "message": {"role": role, "content": content},
            "parent_tool_use_id": null,
            "session_id": self.session_id(),
            "uuid": fresh_id(),
        });
        self.send(line).await;
    }
}

/// A tool call without a result yet; see [`FakeCli::finish_tool_call`].
#[derive(Debug)]
pub struct FakeToolCall {
    id: u64,
    request_id: String,
    tool_use_id: String,
}

impl FakeToolCall {
    /// Returns the JSON-RPC id of the call, which `notifications/cancelled` refers to.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the id of the control request that carries the call.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }
}
