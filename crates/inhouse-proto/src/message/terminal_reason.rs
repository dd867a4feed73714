use inhouse_macros::Open;

/// Why the loop of a turn stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TerminalReason {
    /// A usage limit blocks further requests.
    BlockingLimit,
    /// The context filled up again right after each compaction.
    RapidRefillBreaker,
    /// The prompt did not fit.
    PromptTooLong,
    /// An image could not be used.
    ImageError,
    /// The model failed.
    ModelError,
    /// The API failed.
    ApiError,
    /// The model kept writing tool calls that make no sense.
    MalformedToolUseExhausted,
    /// Interrupted while the model wrote.
    AbortedStreaming,
    /// Interrupted while tools ran.
    AbortedTools,
    /// A stop hook prevented that it goes on.
    StopHookPrevented,
    /// A hook stopped it.
    HookStopped,
    /// A tool call was put off.
    ToolDeferred,
    /// The limit on model calls was reached.
    MaxTurns,
    /// It was sent to the background.
    BackgroundRequested,
    /// It was done.
    Completed,
    /// The budget was used up.
    BudgetExhausted,
    /// The model never wrote a value that satisfies the schema.
    StructuredOutputRetryExhausted,
    /// A tool call that was put off can no longer be made.
    ToolDeferredUnavailable,
    /// The turn could not be set up.
    TurnSetupFailed,
    /// A value that this version does not know.
    Unknown(String),
}

/// What the post of a remote host waited for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PostQueuedBehind {
    /// A post that must not be lost.
    DurablePost,
    /// A post that may be lost.
    EphemeralPost,
    /// The pause before a retry.
    RetryBackoff,
    /// A hold on the queue.
    Hold,
    /// Nothing.
    None,
    /// A value that this version does not know.
    Unknown(String),
}
