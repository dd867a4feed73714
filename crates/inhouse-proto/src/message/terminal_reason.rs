use crate::open::open_enum;

open_enum! {
    /// Why the loop of a turn stopped.
    pub enum TerminalReason {
        /// A usage limit blocks further requests.
        BlockingLimit = "blocking_limit",
        /// The context filled up again right after each compaction.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// The prompt did not fit.
        PromptTooLong = "prompt_too_long",
        /// An image could not be used.
        ImageError = "image_error",
        /// The model failed.
        ModelError = "model_error",
        /// The API failed.
        ApiError = "api_error",
        /// The model kept writing tool calls that make no sense.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// Interrupted while the model wrote.
        AbortedStreaming = "aborted_streaming",
        /// Interrupted while tools ran.
        AbortedTools = "aborted_tools",
        /// A stop hook prevented that it goes on.
        StopHookPrevented = "stop_hook_prevented",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A tool call was put off.
        ToolDeferred = "tool_deferred",
        /// The limit on model calls was reached.
        MaxTurns = "max_turns",
        /// It was sent to the background.
        BackgroundRequested = "background_requested",
        /// It was done.
        Completed = "completed",
        /// The budget was used up.
        BudgetExhausted = "budget_exhausted",
        /// The model never wrote a value that satisfies the schema.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// A tool call that was put off can no longer be made.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// The turn could not be set up.
        TurnSetupFailed = "turn_setup_failed",
    }
}

open_enum! {
    /// What the post of a remote host waited for.
    pub enum PostQueuedBehind {
        /// A post that must not be lost.
        DurablePost = "durable_post",
        /// A post that may be lost.
        EphemeralPost = "ephemeral_post",
        /// The pause before a retry.
        RetryBackoff = "retry_backoff",
        /// A hold on the queue.
        Hold = "hold",
        /// Nothing.
        None = "none",
    }
}
