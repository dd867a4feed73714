use inhouse_macros::Open;

/// A tool is still running.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ToolProgressMessage {
    /// The id of the call.
    pub tool_use_id: String,
    /// The tool.
    pub tool_name: Option<String>,
    /// The tool call to whose subagent the call belongs; `None` on the main thread.
    pub parent_tool_use_id: Option<String>,
    /// Seconds since the call began.
    pub elapsed_time_seconds: Option<f64>,
    /// The task that the call became.
    pub task_id: Option<String>,
    /// Whether nothing happened but time.
    pub heartbeat: Option<bool>,
    /// The kind of subagent that runs.
    pub subagent_type: Option<String>,
    /// The subagent waits before it calls the API again.
    pub subagent_retry: Option<SubagentRetry>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A subagent that waits before it calls the API again.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SubagentRetry {
    /// The subagent.
    pub agent_id: Option<String>,
    /// Which attempt failed, from one.
    pub attempt: Option<u64>,
    /// How many there may be.
    pub max_retries: Option<u64>,
    /// Milliseconds until the next.
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status; `None` when there was no answer.
    pub error_status: Option<u16>,
    /// How the call failed.
    pub error_category: Option<String>,
}
