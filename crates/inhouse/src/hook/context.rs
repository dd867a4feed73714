use inhouse_proto::wire::Text;

use crate::session::Session;
use crate::tool::Cancelled;

/// The context of a hook call: the session, the tool call and a cancellation signal.
#[derive(Clone, Debug)]
pub struct HookContext {
    session: Session,
    tool_use_id: Option<String>,
    raw: Text,
    cancelled: Cancelled,
}

impl HookContext {
    pub(super) fn new(
        session: Session,
        tool_use_id: Option<String>,
        raw: Text,
        cancelled: Cancelled,
    ) -> Self {
        Self {
            session,
            raw,
            tool_use_id,
            cancelled,
        }
    }

    /// Returns the event as the CLI wrote it, as JSON text. It has the members for which the event's
    /// type has no field.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
    ///
    /// let options = Options::new().hook(
    ///     Matcher::any(),
    ///     async |_: PreToolUse, context: HookContext| {
    ///         let event: serde_json::Value = serde_json::from_str(context.raw())?;
    ///         // A member of a newer CLI.
    ///         assert_eq!(event["risk"], "low");
    ///         Ok(HookOutput::pass())
    ///     },
    /// );
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let call = serde_json::json!({
    /// #         "tool_name": "Read", "tool_input": {}, "tool_use_id": "toolu_1", "risk": "low",
    /// #     });
    /// #     assert_eq!(cli.call_hook("PreToolUse", call).await, serde_json::json!({}));
    /// # }));
    /// ```
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the session in which the event happened.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
    ///
    /// let options = Options::new().hook(
    ///     Matcher::any(),
    ///     async |_: PreToolUse, context: HookContext| {
    ///         let control = context.session().control();
    ///         assert!(control.is_some(), "the session is open");
    ///         Ok(HookOutput::pass())
    ///     },
    /// );
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let call = serde_json::json!({
    /// #         "tool_name": "Read", "tool_input": {}, "tool_use_id": "toolu_1", "risk": "low",
    /// #     });
    /// #     assert_eq!(cli.call_hook("PreToolUse", call).await, serde_json::json!({}));
    /// # }));
    /// ```
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the id of the tool call that the event is about; `None` for events without a tool call.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
    ///
    /// let options = Options::new().hook(
    ///     Matcher::any(),
    ///     async |_: PreToolUse, context: HookContext| {
    ///         assert_eq!(context.tool_use_id(), Some("toolu_1"));
    ///         Ok(HookOutput::pass())
    ///     },
    /// );
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let call = serde_json::json!({
    /// #         "tool_name": "Read", "tool_input": {}, "tool_use_id": "toolu_1", "risk": "low",
    /// #     });
    /// #     assert_eq!(cli.call_hook("PreToolUse", call).await, serde_json::json!({}));
    /// # }));
    /// ```
    #[must_use]
    pub fn tool_use_id(&self) -> Option<&str> {
        self.tool_use_id.as_deref()
    }

    /// Returns a signal for work that the hook has given to other tasks or threads.
    ///
    /// The signal fires when the hook has returned, and when it is dropped because of an interrupt, its
    /// timeout, or the end of the session.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, Notification};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().hook(
    ///     Matcher::any(),
    ///     async |_: Notification, context: HookContext| {
    ///         let cancelled = context.cancelled().clone();
    ///         tokio::spawn(async move {
    ///             cancelled.wait().await;
    ///             // Close the window that the hook has opened.
    ///         });
    ///         assert!(!context.cancelled().is_cancelled());
    ///         Ok(HookOutput::pass())
    ///     },
    /// );
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// #     let event = serde_json::json!({"message": "m", "notification_type": "idle_prompt"});
    /// #     assert_eq!(cli.call_hook("Notification", event).await, serde_json::json!({}));
    /// # }));
    /// ```
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}
