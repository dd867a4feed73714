use std::future::Future;
use std::time::Duration;

use super::Options;
use crate::ask::Asked;
use crate::dialog::{DialogAnswer, DialogRequest};
use crate::elicitation::{ElicitationAnswer, ElicitationRequest};
use crate::error::HandlerError;
use crate::permission::PermissionHandler;
use crate::plan::{PlanDecision, PlanRequest};
use crate::question::{Answers, QuestionRequest};
use crate::user_code::Callback;

/// Decisions of a person, or of whoever stands in for one.
///
/// Handlers are async functions or closures. Each question has a task of its own, so nothing waits
/// for a handler that takes its time, and one whose question the CLI withdraws is dropped.
impl Options {
    /// Decides about tool calls: a handler, or a [`Policy`](crate::permission::Policy) of rules.
    ///
    /// The CLI asks about calls that no rule and no mode settles, see the
    /// [guide](crate::guide::permissions). Without a handler it denies them.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     match asked.request.tool_name.as_str() {
    ///         "Read" => Ok(Decision::allow()),
    ///         _ => Ok(Decision::deny("read only").interrupt()),
    ///     }
    /// });
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// #     let decision = cli.can_use_tool("Bash", serde_json::json!({})).await;
    /// #     assert_eq!(decision["message"], "read only");
    /// # }));
    /// ```
    ///
    /// A handler that fails, panics or takes too long denies the call.
    #[must_use]
    pub fn permissions(mut self, handler: impl PermissionHandler) -> Self {
        self.ask.policy = Some(handler.into_policy());
        self
    }

    /// How long the handlers for tool calls, questions and plans may take before the answer is no;
    /// unless set they have all the time in the world, since a person may have to think.
    #[must_use]
    pub fn permission_timeout(mut self, timeout: Duration) -> Self {
        self.ask.timeout = Some(timeout);
        self
    }

    /// Answers the [questions](crate::question) that the model asks a person.
    ///
    /// Without it they go to [`permissions`](Self::permissions) as calls of `AskUserQuestion`.
    #[must_use]
    pub fn on_question<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<QuestionRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Answers, HandlerError>> + Send + 'static,
    {
        self.ask.question = Some(Callback::new(handler));
        self
    }

    /// Approves or rejects the [plans](crate::plan) that the model makes in plan mode.
    ///
    /// Without it they go to [`permissions`](Self::permissions) as calls of `ExitPlanMode`.
    #[must_use]
    pub fn on_plan<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<PlanRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<PlanDecision, HandlerError>> + Send + 'static,
    {
        self.ask.plan = Some(Callback::new(handler));
        self
    }

    /// Answers the [questions of MCP servers](crate::elicitation).
    ///
    /// Without it servers are told that the person declined. A handler that fails or panics cancels
    /// the question.
    #[must_use]
    pub fn on_elicitation<H, F>(mut self, handler: H) -> Self
    where
        H: FnOnce(Asked<ElicitationRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<ElicitationAnswer, HandlerError>> + Send + 'static,
    {
        self.ask.elicitation = Some(Callback::new(handler));
        self
    }

    /// Shows the [dialogs](crate::dialog) of one kind; the CLI asks for no others.
    ///
    /// A handler that fails or panics cancels the dialog, which is the answer that changes nothing.
    #[must_use]
    pub fn on_dialog<H, F>(mut self, kind: impl Into<String>, handler: H) -> Self
    where
        H: FnOnce(Asked<DialogRequest>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<DialogAnswer, HandlerError>> + Send + 'static,
    {
        let handler = Callback::new(handler);
        self.ask.dialogs.insert(kind.into(), handler);
        self
    }
}
