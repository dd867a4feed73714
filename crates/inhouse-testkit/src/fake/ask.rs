use serde_json::{Value, json};

use super::cli::FakeCli;

/// Requests of the CLI to the host.
impl FakeCli {
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
            "transcript_path": "/home/user/transcript.jsonl",
            "cwd": "/home/user/project",
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
}
