use std::borrow::Cow;
use std::future::Future;

use serde_json::Value;

use super::Options;
use crate::error::HandlerError;
use crate::hook::{Hook, HookContext, HookEvent, HookOutput, Matcher};

/// Hooks.
impl Options {
    /// Adds a hook: code that runs when something happens in the session.
    ///
    /// The type of the handler's first argument says what: see [`hook`](crate::hook) for all events.
    /// Hooks run side by side, each in a task of its own, and nothing but the CLI waits for them. One
    /// that the CLI does not wait for any more is dropped.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
    ///
    /// let options = Options::new().hook(
    ///     Matcher::tool("Bash"),
    ///     async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("not here")),
    /// );
    /// # let _ = options;
    /// ```
    ///
    /// An error or a panic of a hook is told to the CLI, which then **goes on as if there were no
    /// hook**, unless the matcher says [`OnFailure::Block`](crate::hook::OnFailure::Block). A hook
    /// that guards something says so.
    ///
    /// No prompt is sent before the CLI has confirmed the hooks.
    ///
    /// With hooks, [`resume`](Self::resume) and [`continue_latest`](Self::continue_latest) need a
    /// CLI that waits for them before it goes on with a deferred call; one that is too old, such as
    /// 2.1.197, refuses to start.
    #[must_use]
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

    /// Adds a hook for an event that inhouse does not know, which gets the input and gives the output
    /// as JSON.
    ///
    /// What the CLI does not understand of the output counts as an error of the hook; an empty object
    /// is no opinion.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::Matcher;
    /// use serde_json::json;
    ///
    /// let options = Options::new().raw_hook("Coffee", Matcher::any(), async |input, _| {
    ///     Ok(json!({"systemMessage": format!("{} cups", input["cups"])}))
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
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
        let decode = |input: &str| serde_json::from_str(input).map_err(|error| error.to_string());
        let hook = Hook::new(Cow::Owned(event.into()), matcher, decode, handler);
        self.hooks.push(hook);
        self
    }
}
