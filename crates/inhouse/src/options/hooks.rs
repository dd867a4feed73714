use std::borrow::Cow;
use std::future::Future;

use inhouse_proto::wire::parse_json;
use serde_json::Value;

use super::Options;
use crate::error::HandlerError;
use crate::hook::{Hook, HookContext, HookEvent, HookOutput, Matcher};

/// Options for hooks, by event.
impl Options {
    /// Adds a hook: a handler that the CLI calls for an event of the session.
    ///
    /// The type of the handler's first argument selects the event; [`hook`](crate::hook) lists all
    /// events. Hooks run concurrently, each in its own task, and only the CLI waits for them. A hook
    /// is dropped if the CLI cancels its call.
    ///
    /// An error or a panic of a hook is sent to the CLI, which then **continues as if there were no
    /// hook**, unless the matcher is set to [`OnFailure::Block`](crate::hook::OnFailure::Block). Set
    /// it on every hook that enforces a rule.
    ///
    /// No prompt is sent before the CLI has confirmed the hooks.
    ///
    /// With hooks, [`resume`](Self::resume) and [`continue_latest`](Self::continue_latest) need a CLI
    /// that waits for `initialize` before it resumes a deferred tool call; older versions, such as
    /// 2.1.197, refuse to start.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    ///
    /// let options = Options::new().hook(
    ///     Matcher::tool("Bash"),
    ///     async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("not here")),
    /// );
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// # let call = json!({"tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_1"});
    /// let output = cli.call_hook("PreToolUse", call).await;
    /// assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "deny");
    /// # }));
    /// ```
    pub fn hook<E, H, F>(mut self, matcher: Matcher<E>, handler: H) -> Self
    where
        E: HookEvent,
        H: FnOnce(E, HookContext) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<HookOutput<E>, HandlerError>> + Send + 'static,
    {
        let decode = |input: &str| E::decode(input).map_err(|mismatch| mismatch.to_string());
        let hook = Hook::new(Cow::Borrowed(E::NAME), matcher, decode, handler);
        self.hooks.push(hook);
        self
    }

    /// Adds a hook for an event that has no type in inhouse, with JSON input and output.
    ///
    /// The CLI treats output that it does not understand as an error of the hook. An empty object
    /// has no effect.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::Matcher;
    /// use serde_json::json;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().raw_hook("Coffee", Matcher::any(), async |input, _| {
    ///     Ok(json!({"systemMessage": format!("{} cups", input["cups"])}))
    /// });
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let output = cli.call_hook("Coffee", json!({"cups": 2})).await;
    /// assert_eq!(output["systemMessage"], "2 cups");
    /// # }));
    /// ```
    pub fn raw_hook<H, F>(
        mut self,
        event: impl Into<String>,
        matcher: Matcher<Value>,
        handler: H,
    ) -> Self
    where
        H: FnOnce(Value, HookContext) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Value, HandlerError>> + Send + 'static,
    {
        let decode = |input: &str| parse_json(input).map_err(|error| error.to_string());
        let hook = Hook::new(Cow::Owned(event.into()), matcher, decode, handler);
        self.hooks.push(hook);
        self
    }
}
