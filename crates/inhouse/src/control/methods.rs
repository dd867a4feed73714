use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use inhouse_proto::control::PermissionMode;
use inhouse_proto::control::outgoing::{
    ApplyFlagSettings, BackgroundTasks, CancelAsyncMessage, GetContextUsage, GetContextUsageReply,
    GetUsage, GetUsageReply, Interrupt, InterruptReply, ListModels, McpConnection, McpReconnect,
    McpServerStatus, McpStatus, McpToggle, ModelInfo, ReadFile, ReadFileReply, RewindFiles,
    RewindFilesReply, SeedReadState, SetModel, SetPermissionMode, StopTask,
};
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::Control;
use crate::error::{Error, ErrorKind, Result};

/// How often [`Control::wait_mcp_ready`] asks. The CLI does not report changes by itself (2.1.325).
const MCP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The common requests. Each fails as [`request`](Control::request) does.
///
/// Every other request of the CLI is sent with [`request`](Control::request).
impl Control {
    /// Interrupts the running turn, whose result follows with `is_error`.
    ///
    /// The reply names the queued prompts that will still run. Without a running turn this does
    /// nothing.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let control = client.control().clone();
    /// let turn = client.send("Count to a million.").await?;
    /// control.interrupt().await?;
    /// let result = turn.finish().await?;
    /// assert!(result.is_error);
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.expect_request("interrupt").await.succeed_empty().await;
    /// #     cli.error_result("error_during_execution", &[]).await;
    /// # }));
    /// ```
    pub async fn interrupt(&self) -> Result<InterruptReply> {
        self.request(Interrupt::new()).await
    }

    /// Changes the model for later turns; `None` returns to the default model.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().set_model(Some("opus")).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("set_model").await;
    /// #     assert_eq!(request.body()["model"], "opus");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn set_model(&self, model: Option<&str>) -> Result<()> {
        let request = model.map_or_else(SetModel::reset, SetModel::new);
        self.request(request).await.map(drop)
    }

    /// Changes the permission mode, which says what tools may do without asking.
    ///
    /// ```
    /// use inhouse::control::PermissionMode;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().set_permission_mode(PermissionMode::Plan).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("set_permission_mode").await;
    /// #     assert_eq!(request.body()["mode"], "plan");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<()> {
        self.request(SetPermissionMode::new(mode)).await.map(drop)
    }

    /// Merges settings into those of the session; `null` removes a key.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let settings = [("language".to_owned(), "German".into())].into_iter().collect();
    /// client.control().apply_settings(settings).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("apply_flag_settings").await;
    /// #     assert_eq!(request.body()["settings"]["language"], "German");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn apply_settings(&self, settings: Map<String, Value>) -> Result<()> {
        self.request(ApplyFlagSettings::new(settings))
            .await
            .map(drop)
    }

    /// Returns the status of each MCP server of the session.
    ///
    /// ```
    /// use inhouse::control::outgoing::McpConnection;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let servers = client.control().mcp_status().await?;
    /// assert_eq!(servers[0].name, "files");
    /// assert_eq!(servers[0].status, McpConnection::Failed);
    /// # Ok(()) }, async |cli| {
    /// #     let status = serde_json::json!({"mcpServers": [{"name": "files", "status": "failed"}]});
    /// #     cli.expect_request("mcp_status").await.succeed(status).await;
    /// # }));
    /// ```
    pub async fn mcp_status(&self) -> Result<Vec<McpServerStatus>> {
        Ok(self.request(McpStatus::new()).await?.mcp_servers)
    }

    /// Waits until every MCP server is connected, failed or disabled, and returns their status.
    ///
    /// The CLI connects external servers while the first turn runs already, and the model does not
    /// see their tools until then. Servers in this process need no waiting. A failed server is not an
    /// error here; see its [`status`](McpServerStatus::status).
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let servers = client.control().wait_mcp_ready().await?;
    /// assert_eq!(servers.len(), 1);
    /// # Ok(()) }, async |cli| {
    /// #     for status in ["pending", "connected"] {
    /// #         let status = serde_json::json!({"mcpServers": [{"name": "files", "status": status}]});
    /// #         cli.expect_request("mcp_status").await.succeed(status).await;
    /// #     }
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Timeout` if a server is still connecting after the [timeout](Self::with_timeout) of this
    /// handle, and the errors of [`request`](Self::request).
    pub async fn wait_mcp_ready(&self) -> Result<Vec<McpServerStatus>> {
        let mut pending = Vec::new();
        let ready = async {
            loop {
                let servers = self.mcp_status().await?;
                pending = servers
                    .iter()
                    .filter(|server| server.status == McpConnection::Pending)
                    .map(|server| server.name.clone())
                    .collect();
                if pending.is_empty() {
                    return Ok(servers);
                }
                sleep(MCP_POLL_INTERVAL).await;
            }
        };
        let Some(timeout) = self.timeout else {
            return ready.await;
        };
        if let Ok(servers) = tokio::time::timeout(timeout, ready).await {
            return servers;
        }
        let text = if pending.is_empty() {
            format!("the CLI did not report the status of its MCP servers within {timeout:?}")
        } else {
            let servers = pending.join(", ");
            format!(
                "MCP servers are still connecting after {timeout:?}: {servers}; raise the timeout \
                 with Control::with_timeout, or continue without them"
            )
        };
        Err(Error::new(ErrorKind::Timeout, text))
    }

    /// Connects an external MCP server again.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().reconnect_mcp_server("files").await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("mcp_reconnect").await;
    /// #     assert_eq!(request.body()["serverName"], "files");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn reconnect_mcp_server(&self, name: &str) -> Result<()> {
        self.request(McpReconnect::new(name)).await.map(drop)
    }

    /// Enables or disables an MCP server.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().toggle_mcp_server("files", false).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("mcp_toggle").await;
    /// #     assert_eq!(request.body()["enabled"], false);
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn toggle_mcp_server(&self, name: &str, enabled: bool) -> Result<()> {
        self.request(McpToggle::new(name, enabled)).await.map(drop)
    }

    /// Returns what fills the context window, in tokens.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let usage = client.control().context_usage().await?;
    /// assert_eq!(usage.percentage, 10.0);
    /// # Ok(()) }, async |cli| {
    /// #     let usage = serde_json::json!({
    /// #         "categories": [], "totalTokens": 20_000, "maxTokens": 200_000, "percentage": 10,
    /// #     });
    /// #     cli.expect_request("get_context_usage").await.succeed(usage).await;
    /// # }));
    /// ```
    pub async fn context_usage(&self) -> Result<GetContextUsageReply> {
        self.request(GetContextUsage::new()).await
    }

    /// Returns the cost and the limits of the session so far.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let usage = client.control().usage().await?;
    /// assert_eq!(usage.session.total_cost_usd, 0.25);
    /// # Ok(()) }, async |cli| {
    /// #     let session = serde_json::json!({
    /// #         "total_cost_usd": 0.25, "total_api_duration_ms": 1, "total_duration_ms": 2,
    /// #         "total_lines_added": 0, "total_lines_removed": 0, "model_usage": {},
    /// #     });
    /// #     let usage = serde_json::json!({"session": session, "rate_limits_available": false});
    /// #     cli.expect_request("get_usage").await.succeed(usage).await;
    /// # }));
    /// ```
    pub async fn usage(&self) -> Result<GetUsageReply> {
        self.request(GetUsage::new()).await
    }

    /// Returns the models that [`set_model`](Self::set_model) accepts.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let models = client.control().models().await?;
    /// assert_eq!(models[0].value, "opus");
    /// # Ok(()) }, async |cli| {
    /// #     let opus = serde_json::json!({"value": "opus", "displayName": "Opus", "description": ""});
    /// #     let models = serde_json::json!({"models": [opus]});
    /// #     cli.expect_request("list_models").await.succeed(models).await;
    /// # }));
    /// ```
    pub async fn models(&self) -> Result<Vec<ModelInfo>> {
        Ok(self.request(ListModels::new()).await?.models)
    }

    /// Restores the files that were changed since a prompt.
    ///
    /// Needs [`Options::file_checkpointing`](crate::Options::file_checkpointing). A rewind that is
    /// not possible is a reply with `can_rewind: false`, not an error.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// # let prompt_id = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
    /// let rewind = client.control().rewind_files(prompt_id).await?;
    /// assert!(rewind.can_rewind);
    /// # Ok(()) }, async |cli| {
    /// #     let rewind = serde_json::json!({"canRewind": true});
    /// #     cli.expect_request("rewind_files").await.succeed(rewind).await;
    /// # }));
    /// ```
    pub async fn rewind_files(&self, prompt_id: &str) -> Result<RewindFilesReply> {
        self.request(RewindFiles::new(prompt_id)).await
    }

    /// Reads a file through the CLI, relative to its working directory.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let file = client.control().read_file(Path::new("notes.md")).await?;
    /// assert_eq!(file.contents, "# Notes");
    /// # Ok(()) }, async |cli| {
    /// #     let file = serde_json::json!({"contents": "# Notes", "absPath": "/project/notes.md"});
    /// #     cli.expect_request("read_file").await.succeed(file).await;
    /// # }));
    /// ```
    pub async fn read_file(&self, path: &Path) -> Result<ReadFileReply> {
        self.request(ReadFile::new(path.to_string_lossy())).await
    }

    /// Marks a file as read by the model, in the version that was modified at `modified`.
    ///
    /// The model may then edit the file without reading it first.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::time::{Duration, SystemTime};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    /// client.control().seed_read_state(Path::new("notes.md"), modified).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("seed_read_state").await;
    /// #     assert_eq!(request.body()["mtime"], 1_700_000_000_000_u64);
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn seed_read_state(&self, path: &Path, modified: SystemTime) -> Result<()> {
        // No real file was modified before 1970.
        let since_epoch = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let milliseconds = since_epoch.as_millis().try_into().unwrap_or(u64::MAX);
        let request = SeedReadState::new(path.to_string_lossy(), milliseconds);
        self.request(request).await.map(drop)
    }

    /// Stops a background task.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().stop_task("task_1").await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("stop_task").await;
    /// #     assert_eq!(request.body()["task_id"], "task_1");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn stop_task(&self, task_id: &str) -> Result<()> {
        self.request(StopTask::new(task_id)).await.map(drop)
    }

    /// Moves one running tool call, or all with `None`, to the background.
    ///
    /// Returns whether anything was moved.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// assert!(client.control().background_tasks(Some("toolu_1")).await?);
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("background_tasks").await;
    /// #     assert_eq!(request.body()["tool_use_id"], "toolu_1");
    /// #     request.succeed(serde_json::json!({"backgrounded": true})).await;
    /// # }));
    /// ```
    pub async fn background_tasks(&self, tool_use_id: Option<&str>) -> Result<bool> {
        let mut request = BackgroundTasks::new();
        if let Some(id) = tool_use_id {
            request = request.tool_use_id(id);
        }
        // A success without the member means that the work was moved.
        Ok(self.request(request).await?.backgrounded.unwrap_or(true))
    }

    /// Cancels a queued prompt; returns whether it was still in the queue.
    ///
    /// A prompt whose turn has begun is not cancelled; see [`interrupt`](Self::interrupt).
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// # let prompt_id = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
    /// assert!(!client.control().cancel_prompt(prompt_id).await?);
    /// # Ok(()) }, async |cli| {
    /// #     let cancelled = serde_json::json!({"cancelled": false});
    /// #     cli.expect_request("cancel_async_message").await.succeed(cancelled).await;
    /// # }));
    /// ```
    pub async fn cancel_prompt(&self, prompt_id: &str) -> Result<bool> {
        let reply = self.request(CancelAsyncMessage::new(prompt_id)).await?;
        Ok(reply.cancelled)
    }
}
