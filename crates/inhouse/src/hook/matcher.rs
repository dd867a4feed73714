use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::OnFailure;
use super::capability::{AboutAgent, AboutTool, FailsClosed, Matched, MatchedBy};
use super::pattern;

/// Says which occurrences of the event `E` a hook is for.
///
/// The event is inferred from the hook, and a matcher that the CLI would ignore for it does not
/// compile:
///
/// ```
/// use inhouse::Options;
/// use inhouse::hook::*;
///
/// let options = Options::new()
///     .hook(Matcher::tools(["Write", "Edit"]), async |_: PreToolUse, _| Ok(HookOutput::pass()))
///     .hook(Matcher::pattern("mcp__.*"), async |_: PreToolUse, _| Ok(HookOutput::pass()))
///     .hook(Matcher::agent("Explore"), async |_: SubagentStop, _| Ok(HookOutput::pass()))
///     .hook(Matcher::only(SessionSource::Clear), async |_: SessionStart, _| {
///         Ok(HookOutput::pass())
///     })
///     .hook(Matcher::any(), async |_: UserPromptSubmit, _| Ok(HookOutput::pass()));
/// # let _ = options;
/// ```
///
/// A mistake, such as an invalid pattern, is a [`Config`](crate::error::ErrorKind::Config) error
/// when the session is opened.
pub struct Matcher<E> {
    pub(super) pattern: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) on_failure: Option<OnFailure>,
    pub(super) problems: Vec<String>,
    event: PhantomData<fn(E)>,
}

impl<E> Matcher<E> {
    /// Every occurrence.
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

    /// How long the CLI waits for the hook, ten minutes by default.
    ///
    /// Without an answer in time a call of a `PreToolUse` or `PermissionRequest` does not run, and a
    /// prompt of a `UserPromptSubmit` is dropped, whatever [`on_failure`](Self::on_failure) says;
    /// every other event goes on.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        if timeout.is_zero() {
            let problem = "a timeout of 0 is none to the CLI; leave it away, or wait for a while";
            self.problems.push(problem.to_owned());
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
    /// Calls of one tool, such as `Bash` or `mcp__calc__add`.
    #[must_use]
    pub fn tool(name: impl Into<String>) -> Self {
        Self::tools([name])
    }

    /// Calls of any of these tools.
    #[must_use]
    pub fn tools<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let problems = names.iter().filter(|name| !pattern::is_plain(name));
        let problems = problems.map(|name| {
            format!("`{name}` is not the name of a tool; `Matcher::pattern` takes expressions")
        });
        let none = "no tool is named; `Matcher::any()` is for all of them".to_owned();
        Self::matching(names.join("|"))
            .with_problems(problems)
            .with_problems(names.is_empty().then_some(none))
    }
}

impl<E: AboutAgent> Matcher<E> {
    /// Subagents of one kind, such as `Explore`.
    #[must_use]
    pub fn agent(kind: impl Into<String>) -> Self {
        Self::exactly(&kind.into())
    }
}

impl<E: MatchedBy> Matcher<E> {
    /// Only those that happen because of this, or with this name: see the table of the
    /// [guide](crate::guide::hooks) for what each event is compared by.
    #[must_use]
    pub fn only(subject: impl Into<E::Subject>) -> Self {
        Self::exactly(&subject.into().to_string())
    }
}

impl<E: Matched> Matcher<E> {
    /// Those whose name fits a regular expression of JavaScript, anywhere unless it has `^` and `$`.
    ///
    /// One without special characters fits only the very same name.
    #[must_use]
    pub fn pattern(pattern: impl Into<String>) -> Self {
        let pattern = pattern.into();
        let problem = pattern::problem(&pattern);
        Self::matching(pattern).with_problems(problem)
    }

    fn exactly(text: &str) -> Self {
        let empty = "an empty name; `Matcher::any()` is for all of them".to_owned();
        Self::matching(pattern::exactly(text)).with_problems(text.is_empty().then_some(empty))
    }
}

impl<E: FailsClosed> Matcher<E> {
    /// What an error of the hook means; by default the CLI goes on as if there were no hook.
    ///
    /// With [`OnFailure::Block`] the session is only opened if the CLI can do it.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
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
