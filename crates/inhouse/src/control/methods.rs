use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use inhouse_proto::control::PermissionMode;
use inhouse_proto::control::outgoing::{
    ApplyFlagSettings, BackgroundTasks, CancelAsyncMessage, GetContextUsage, GetContextUsageReply,
    GetUsage, GetUsageReply, Interrupt, InterruptReply, ListModels, McpReconnect, McpServerStatus,
    McpStatus, McpToggle, ModelInfo, ReadFile, ReadFileReply, RewindFiles, RewindFilesReply,
    SeedReadState, SetModel, SetPermissionMode, StopTask,
};
use serde_json::{Map, Value};

use super::Control;
use crate::error::Result;

/// What people use most. Everything else the CLI understands goes through
/// [`request`](Control::request).
///
/// Each fails as [`request`](Control::request) does.
impl Control {
    /// Stops the running turn; its result follows with `is_error`.
    ///
    /// The receipt names the queued prompts that will still run. Works when nothing runs, too.
    pub async fn interrupt(&self) -> Result<InterruptReply> {
        self.request(Interrupt::new()).await
    }

    /// Changes the model for the turns to come; `None` returns to the default.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let control = client.control();
    /// control.set_model(Some("opus")).await?;
    /// # Ok(()) }, async |cli| {
    /// # let request = cli.expect_request("set_model").await;
    /// # assert_eq!(request.body()["model"], "opus");
    /// # request.succeed_empty().await;
    /// # }));
    /// ```
    pub async fn set_model(&self, model: Option<&str>) -> Result<()> {
        let request = model.map_or_else(SetModel::reset, SetModel::new);
        self.request(request).await.map(drop)
    }

    /// Changes what tools may do without asking.
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<()> {
        self.request(SetPermissionMode::new(mode)).await.map(drop)
    }

    /// Merges settings into those of the session; a `null` clears a key.
    pub async fn apply_settings(&self, settings: Map<String, Value>) -> Result<()> {
        self.request(ApplyFlagSettings::new(settings))
            .await
            .map(drop)
    }

    /// The MCP servers of the session and how they fare.
    pub async fn mcp_status(&self) -> Result<Vec<McpServerStatus>> {
        Ok(self.request(McpStatus::new()).await?.mcp_servers)
    }

    /// Connects an external MCP server anew.
    pub async fn reconnect_mcp_server(&self, name: &str) -> Result<()> {
        self.request(McpReconnect::new(name)).await.map(drop)
    }

    /// Switches an MCP server off or on.
    pub async fn toggle_mcp_server(&self, name: &str, enabled: bool) -> Result<()> {
        self.request(McpToggle::new(name, enabled)).await.map(drop)
    }

    /// What fills the context window, in tokens.
    pub async fn context_usage(&self) -> Result<GetContextUsageReply> {
        self.request(GetContextUsage::new()).await
    }

    /// Cost and limits of the session so far.
    pub async fn usage(&self) -> Result<GetUsageReply> {
        self.request(GetUsage::new()).await
    }

    /// The models that the session can be switched to.
    pub async fn models(&self) -> Result<Vec<ModelInfo>> {
        Ok(self.request(ListModels::new()).await?.models)
    }

    /// Restores the files that were changed since a prompt.
    ///
    /// Needs [`Options::file_checkpointing`](crate::Options::file_checkpointing). A rewind that is
    /// not possible is a reply with `can_rewind: false`, not an error.
    pub async fn rewind_files(&self, prompt_id: &str) -> Result<RewindFilesReply> {
        self.request(RewindFiles::new(prompt_id)).await
    }

    /// Reads a file with the eyes of the CLI.
    pub async fn read_file(&self, path: &Path) -> Result<ReadFileReply> {
        self.request(ReadFile::new(path.to_string_lossy())).await
    }

    /// Tells the CLI that the model knows a file as it was at that time.
    pub async fn seed_read_state(&self, path: &Path, modified: SystemTime) -> Result<()> {
        // A time before 1970 is not one that a file was really changed at.
        let since_epoch = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let milliseconds = since_epoch.as_millis().try_into().unwrap_or(u64::MAX);
        let request = SeedReadState::new(path.to_string_lossy(), milliseconds);
        self.request(request).await.map(drop)
    }

    /// Stops a background task.
    pub async fn stop_task(&self, task_id: &str) -> Result<()> {
        self.request(StopTask::new(task_id)).await.map(drop)
    }

    /// Moves foreground work to the background: one tool call, or all with `None`. Tells whether
    /// anything was moved.
    pub async fn background_tasks(&self, tool_use_id: Option<&str>) -> Result<bool> {
        let mut request = BackgroundTasks::new();
        if let Some(id) = tool_use_id {
            request = request.tool_use_id(id);
        }
        // A CLI that does not say has done it.
        Ok(self.request(request).await?.backgrounded.unwrap_or(true))
    }

    /// Takes back a prompt that has not begun to run; tells whether it was still there.
    pub async fn cancel_prompt(&self, prompt_id: &str) -> Result<bool> {
        let reply = self.request(CancelAsyncMessage::new(prompt_id)).await?;
        Ok(reply.cancelled)
    }
}
