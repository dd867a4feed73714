use inhouse_macros::Open;

/// Reports that a tool call is still running.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ToolProgressMessage {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Name of the tool that was called.
    pub tool_name: Option<String>,
    /// The tool call that started the subagent that made this call; `None` in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// Time since the start of the call, in seconds.
    pub elapsed_time_seconds: Option<f64>,
    /// The background task that runs the call, if there is one.
    pub task_id: Option<String>,
    /// Whether the message is a heartbeat that reports only the elapsed time.
    pub heartbeat: Option<bool>,
    /// The type name of the subagent that runs.
    pub subagent_type: Option<String>,
    /// The retry that the subagent waits for; `None` if it does not wait for one.
    pub subagent_retry: Option<SubagentRetry>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// The retry of an API call that a subagent waits for.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SubagentRetry {
    /// The id of the subagent.
    pub agent_id: Option<String>,
    /// Number of the failed attempt, counted from one.
    pub attempt: Option<u64>,
    /// Maximum number of retries.
    pub max_retries: Option<u64>,
    /// Time until the next attempt, in milliseconds.
    pub retry_delay_ms: Option<f64>,
    /// HTTP status of the failure; `None` if there was no response.
    pub error_status: Option<u16>,
    /// The kind of failure of the API call.
    pub error_category: Option<String>,
}
