use inhouse_macros::Open;

/// Reason why the agent loop of a turn stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TerminalReason {
    /// A usage limit blocks further requests.
    BlockingLimit,
    /// The context was full again immediately after each compaction.
    RapidRefillBreaker,
    /// The prompt exceeded the context window.
    PromptTooLong,
    /// An image could not be used.
    ImageError,
    /// The model call failed.
    ModelError,
    /// The API returned an error.
    ApiError,
    /// The model repeatedly wrote malformed tool calls.
    MalformedToolUseExhausted,
    /// The turn was interrupted while the model wrote.
    AbortedStreaming,
    /// The turn was interrupted while tools ran.
    AbortedTools,
    /// A stop hook prevented the turn from continuing.
    StopHookPrevented,
    /// A hook stopped the turn.
    HookStopped,
    /// A hook deferred a tool call.
    ToolDeferred,
    /// The limit on model calls was reached.
    MaxTurns,
    /// The turn was moved to the background.
    BackgroundRequested,
    /// The turn ran to its end.
    Completed,
    /// The budget was used up.
    BudgetExhausted,
    /// The model wrote no value that satisfies the schema within the allowed retries.
    StructuredOutputRetryExhausted,
    /// A deferred tool call can no longer be made.
    ToolDeferredUnavailable,
    /// The turn could not be set up.
    TurnSetupFailed,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why a post of a remote host was queued.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PostQueuedBehind {
    /// The post waited for a post that must not be lost.
    DurablePost,
    /// The post waited for a post that may be lost.
    EphemeralPost,
    /// The post waited for the delay before a retry.
    RetryBackoff,
    /// The queue was on hold.
    Hold,
    /// The post did not have to wait.
    None,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
