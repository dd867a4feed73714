use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use inhouse_proto::builtin::ToolInput;

use super::OnFailure;
use super::capability::{AboutAgent, AboutTool, FailsClosed, Matched, MatchedBy};
use super::pattern;

/// Selects the occurrences of the event `E` that a hook is called for.
///
/// The event is inferred from the hook, and a matcher that the CLI would ignore for that event does
/// not compile:
///
/// ```
/// use inhouse::Options;
/// use inhouse::hook::*;
/// # use inhouse_testkit::fake::launch;
///
/// let options = Options::new()
///     .hook(Matcher::tools(["Write", "Edit"]), async |_: PreToolUse, _| Ok(HookOutput::pass()))
///     .hook(Matcher::agent("Explore"), async |_: SubagentStop, _| Ok(HookOutput::pass()))
///     .hook(Matcher::any(), async |_: UserPromptSubmit, _| Ok(HookOutput::pass()));
/// # let hooks = launch(options).initialize()["hooks"].clone();
/// # assert_eq!(hooks["PreToolUse"][0]["matcher"], "Write|Edit");
/// # assert_eq!(hooks["SubagentStop"][0]["matcher"], "Explore");
/// ```
///
/// Several hooks can have the same matcher. The CLI calls them concurrently:
///
/// ```
/// use inhouse::Options;
/// use inhouse::hook::*;
/// # use inhouse_testkit::fake::launch;
///
/// let writes = Matcher::tools(["Write", "Edit"]);
/// let options = Options::new()
///     .hook(writes.clone(), async |_: PreToolUse, _| Ok(HookOutput::pass()))
///     .hook(writes, async |_: PreToolUse, _| Ok(HookOutput::ask("sure?")));
/// # let hooks = launch(options).initialize()["hooks"].clone();
/// # assert_eq!(hooks["PreToolUse"][0]["matcher"], "Write|Edit");
/// # assert_eq!(hooks["PreToolUse"][1]["matcher"], "Write|Edit");
/// ```
///
/// An invalid matcher, such as one with an invalid pattern, makes connecting fail with a
/// [`Config`](crate::error::ErrorKind::Config) error.
pub struct Matcher<E> {
    pub(super) pattern: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) on_failure: Option<OnFailure>,
    pub(super) problems: Vec<String>,
    event: PhantomData<fn(E)>,
}

impl<E> Matcher<E> {
    /// Matches every occurrence of the event.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, Stop};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .hook(Matcher::any(), async |_: Stop, _| Ok(HookOutput::block("Run the tests.")));
    /// # assert!(launch(options).initialize()["hooks"]["Stop"][0].get("matcher").is_none());
    /// ```
    #[must_use]
    pub fn any() -> Self {
        Self {
            pattern: None,
            timeout: None,
            on_failure: None,
            problems: Vec::new(),
            event: PhantomData,
        }
    }

    /// Sets how long the CLI waits for the hook. The default of the CLI is ten minutes.
    ///
    /// After the timeout the hook is dropped. The tool call of a `PreToolUse` or `PermissionRequest`
    /// event does not run then, and the prompt of a `UserPromptSubmit` event is dropped, whatever
    /// [`on_failure`](Self::on_failure) is; every other event continues (2.1.325).
    ///
    /// ```
    /// use std::time::Duration;
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().hook(
    ///     Matcher::tool("Bash").timeout(Duration::from_secs(5)),
    ///     async |_: PreToolUse, _| Ok(HookOutput::pass()),
    /// );
    /// # assert_eq!(launch(options).initialize()["hooks"]["PreToolUse"][0]["timeout"], 5);
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        if timeout.is_zero() {
            self.problems.push(
                "a timeout of 0 means no timeout to the CLI; remove it or set a longer one"
                    .to_owned(),
            );
        }
        self.timeout = Some(timeout);
        self
    }

    fn matching(pattern: String) -> Self {
        Self {
            pattern: Some(pattern),
            ..Self::any()
        }
    }

    fn with_problems(mut self, problems: impl IntoIterator<Item = String>) -> Self {
        self.problems.extend(problems);
        self
    }
}

impl<E: AboutTool> Matcher<E> {
    /// Matches calls of one tool, such as `Bash` or `mcp__calc__add`, or of all tools whose names begin alike, as `mcp__calc__*`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .hook(Matcher::tool("Bash"), async |_: PreToolUse, _| Ok(HookOutput::deny("no shell")));
    /// # assert_eq!(launch(options).initialize()["hooks"]["PreToolUse"][0]["matcher"], "Bash");
    /// ```
    #[must_use]
    pub fn tool(name: impl Into<String>) -> Self {
        Self::tools([name])
    }

    /// Matches calls of the tool that has this input, for hooks that decode it with `input_as`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().hook(Matcher::tool_of::<Bash>(), async |call: PreToolUse, _| {
    ///     let bash: Bash = call.input_as()?;
    ///     Ok(HookOutput::deny(format!("not `{}`", bash.command)))
    /// });
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// #     assert_eq!(cli.launched().initialize()["hooks"]["PreToolUse"][0]["matcher"], "Bash");
    /// #     let call = serde_json::json!({
    /// #         "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
    /// #     });
    /// #     let output = cli.call_hook("PreToolUse", call).await;
    /// #     assert_eq!(output["hookSpecificOutput"]["permissionDecisionReason"], "not `ls`");
    /// # }));
    /// ```
    #[must_use]
    pub fn tool_of<T: ToolInput>() -> Self {
        Self::tool(T::TOOL)
    }

    /// Matches calls of any of these tools.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .hook(Matcher::tools(["Write", "Edit"]), async |_: PreToolUse, _| Ok(HookOutput::pass()));
    /// # assert_eq!(launch(options).initialize()["hooks"]["PreToolUse"][0]["matcher"], "Write|Edit");
    /// ```
    #[must_use]
    pub fn tools<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut matcher = Self::matching(pattern::any_of(&names));
        if names.is_empty() {
            matcher
                .problems
                .push("no tool is named; `Matcher::any()` matches all tools".to_owned());
        }
        let is_name = |name: &str| pattern::is_literal(name.strip_suffix('*').unwrap_or(name));
        for name in names.iter().filter(|name| !is_name(name)) {
            matcher.problems.push(format!(
                "`{name}` is not the name of a tool; `Matcher::pattern` takes expressions"
            ));
        }
        matcher
    }
}

impl<E: AboutAgent> Matcher<E> {
    /// Matches subagents of one kind, such as `Explore`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, SubagentStop};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .hook(Matcher::agent("Explore"), async |_: SubagentStop, _| Ok(HookOutput::pass()));
    /// # assert_eq!(launch(options).initialize()["hooks"]["SubagentStop"][0]["matcher"], "Explore");
    /// ```
    #[must_use]
    pub fn agent(kind: impl Into<String>) -> Self {
        Self::exactly(&kind.into())
    }
}

impl<E: MatchedBy> Matcher<E> {
    /// Matches occurrences with this cause or name. The [guide](crate::guide::hooks) lists the field
    /// that each event is compared by.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, SessionSource, SessionStart};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().hook(
    ///     Matcher::only(SessionSource::Clear),
    ///     async |_: SessionStart, _| Ok(HookOutput::pass()),
    /// );
    /// # assert_eq!(launch(options).initialize()["hooks"]["SessionStart"][0]["matcher"], "clear");
    /// ```
    #[must_use]
    pub fn only(subject: impl Into<E::Subject>) -> Self {
        Self::exactly(&subject.into().to_string())
    }
}

impl<E: Matched> Matcher<E> {
    /// Matches names that contain a match of a JavaScript regular expression; `^` and `$` anchor it.
    ///
    /// A pattern without special characters matches only the name that is equal to it.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, PreToolUse};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new()
    ///     .hook(Matcher::pattern("^mcp__"), async |_: PreToolUse, _| Ok(HookOutput::ask("sure?")));
    /// # assert_eq!(launch(options).initialize()["hooks"]["PreToolUse"][0]["matcher"], "^mcp__");
    /// ```
    #[must_use]
    pub fn pattern(pattern: impl Into<String>) -> Self {
        let pattern = pattern.into();
        let problem = pattern::problem(&pattern);
        Self::matching(pattern).with_problems(problem)
    }

    fn exactly(text: &str) -> Self {
        let problem = "an empty name; `Matcher::any()` matches all of them";
        Self::matching(pattern::exactly(text))
            .with_problems(text.is_empty().then(|| problem.to_owned()))
    }
}

impl<E: FailsClosed> Matcher<E> {
    /// Sets what happens if the hook fails. By default the CLI continues as if there were no hook.
    ///
    /// With [`OnFailure::Block`] connecting fails if the CLI does not support it (2.1.197 does not).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::{HookOutput, Matcher, OnFailure, PreToolUse};
    /// # use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().hook(
    ///     Matcher::tool("Bash").on_failure(OnFailure::Block),
    ///     async |_: PreToolUse, _| Ok(HookOutput::pass()),
    /// );
    /// # assert_eq!(launch(options).initialize()["hooks"]["PreToolUse"][0]["onFailure"], "block");
    /// ```
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }
}

/// By hand: a derived implementation would require that the event is `Clone`.
impl<E> Clone for Matcher<E> {
    fn clone(&self) -> Self {
        Self {
            pattern: self.pattern.clone(),
            timeout: self.timeout,
            on_failure: self.on_failure.clone(),
            problems: self.problems.clone(),
            event: PhantomData,
        }
    }
}

impl<E> fmt::Debug for Matcher<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("pattern", &self.pattern)
            .field("timeout", &self.timeout)
            .field("on_failure", &self.on_failure)
            .finish()
    }
}
