//! Permissions: deciding whether Claude may run a tool.
//!
//! [`Options::permissions`](crate::Options::permissions) takes a handler, an async function that
//! decides about each call that neither a rule nor the [mode](PermissionMode) settles, or a
//! [`Policy`], which adds rules. The [guide](crate::guide::permissions) lists the order in which
//! rules, hooks, modes and the handler decide.
//!
//! ```
//! use inhouse::permission::{CanUseTool, Decision};
//! use inhouse::{Asked, Options};
//!
//! let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
//!     match asked.request.tool_name.as_str() {
//!         "Read" => Ok(Decision::allow()),
//!         _ => Ok(Decision::deny("read only").interrupt()),
//!     }
//! });
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
//! #     assert_eq!(reply["message"], "read only");
//! # }));
//! ```
//!
//! A handler that fails, panics or takes longer than
//! [`permission_timeout`](crate::Options::permission_timeout) denies the call, and so does a request
//! that cannot be decoded.

use std::future::Future;
use std::sync::Arc;

use inhouse_proto::builtin::{InputError, ToolInput, decode_input};
use inhouse_proto::control::incoming::{Answer, IncomingRequest};
#[doc(inline)]
pub use inhouse_proto::control::incoming::{
    AskRule, CanUseTool, ComputerFolder, DecisionClassification, DecisionReasonType, ToolOrigin,
};
#[doc(inline)]
pub use inhouse_proto::control::{
    DirectoryUpdate, ModeUpdate, PermissionBehavior, PermissionMode, PermissionRule,
    PermissionUpdate, RuleUpdate, UpdateDestination,
};

use super::asked::Subject;
pub use super::decision::Decision;
use super::plan::{PlanDecision, PlanRequest};
pub use super::policy::Policy;
use super::question::{Answers, QuestionRequest};
pub use super::rule::{Rule, RuleError};
use super::{AskHandlers, Asked, success};
use crate::error::HandlerError;
use crate::session::Session;
use crate::user_code::Callback;

/// Decides whether Claude may run a tool.
///
/// Implemented for async functions and closures from [`Asked<CanUseTool>`](Asked) to [`Decision`],
/// which decide about every call that the CLI asks about, and for [`Policy`].
///
/// ```
/// use inhouse::permission::{CanUseTool, Decision, PermissionHandler, Policy};
/// use inhouse::{Asked, Options};
///
/// /// Adds a handler to the options of an agent, whatever its type.
/// fn guarded(handler: impl PermissionHandler) -> Options {
///     Options::new().permissions(handler)
/// }
/// # let decide = |options| inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
/// #     cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await["behavior"].clone()
/// # }));
/// let options = guarded(async |_: Asked<CanUseTool>| Ok(Decision::deny("no")));
/// assert_eq!(decide(options), "deny");
///
/// // The CLI applies the rules of a policy.
/// let cli = inhouse_testkit::fake::launch(guarded(Policy::new().allow("Bash")));
/// assert!(cli.args().iter().any(|arg| arg.contains(r#""allow":["Bash"]"#)));
/// ```
#[diagnostic::on_unimplemented(
    message = "this is not a permission handler",
    label = "cannot decide about tool calls",
    note = "a permission handler is an async function or closure `async |asked: Asked<CanUseTool>|` whose output is `Result<Decision, HandlerError>`, or a `Policy`",
    note = "the handler must be `Clone + Send + Sync + 'static`, and its future `Send + 'static`"
)]
pub trait PermissionHandler {
    /// Converts the handler to a policy; a function becomes a policy without rules.
    fn into_policy(self) -> Policy;
}

impl<H, F> PermissionHandler for H
where
    H: FnOnce(Asked<CanUseTool>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Decision, HandlerError>> + Send + 'static,
{
    fn into_policy(self) -> Policy {
        Policy::from_handler(Callback::new(self))
    }
}

impl PermissionHandler for Policy {
    fn into_policy(self) -> Policy {
        self
    }
}

impl Asked<CanUseTool> {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    ///
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong
    /// shape. A handler that passes it on with `?` denies the call.
    ///
    /// ```
    /// use inhouse::builtin::{Bash, Read, ToolInput};
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
    ///     match asked.request.tool_name.as_str() {
    ///         Read::TOOL => Ok(Decision::allow()),
    ///         _ => {
    ///             let bash: Bash = asked.input_as()?;
    ///             Ok(Decision::deny(format!("not `{}`", bash.command)))
    ///         }
    ///     }
    /// });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["message"], "not `ls`");
    /// # }));
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.request.tool_name, &self.request.input)
    }
}

impl Subject for CanUseTool {
    fn subject(&self) -> &str {
        &self.tool_name
    }
}

impl AskHandlers {
    /// Answers `can_use_tool`; `None` if no handler decides about the tool.
    ///
    /// The CLI asks about questions and plans in the same way, as calls of `AskUserQuestion` and
    /// `ExitPlanMode`.
    pub(crate) async fn can_use_tool(
        &self,
        incoming: &IncomingRequest,
        session: &Session,
    ) -> Option<Answer> {
        // A request that cannot be decoded is refused by `IncomingRequest::unhandled`.
        let call: CanUseTool = incoming.decode().ok()?;
        if let Some(handler) = &self.question
            && let Some(questions) = call.as_question()
        {
            return Some(match questions {
                Ok(questions) => {
                    let request = QuestionRequest::new(questions, call);
                    self.decide(
                        handler,
                        request,
                        incoming,
                        session,
                        |it| it.call,
                        Answers::into_decision,
                    )
                    .await
                }
                Err(error) => deny(call, format!("The questions cannot be read: {error}")),
            });
        }
        if let Some(handler) = &self.plan
            && let Some(plan) = call.as_plan()
        {
            return Some(match plan {
                Ok(plan) => {
                    let request = PlanRequest::new(plan, call);
                    self.decide(
                        handler,
                        request,
                        incoming,
                        session,
                        |it| it.call,
                        PlanDecision::into_decision,
                    )
                    .await
                }
                Err(error) => deny(call, format!("The plan cannot be read: {error}")),
            });
        }
        let handler = self.policy.as_ref()?.handler();
        let answer = self.decide(
            &handler,
            call,
            incoming,
            session,
            |call| call,
            |decision, _| decision,
        );
        Some(answer.await)
    }

    /// Runs a handler for a tool call, and denies the call if the handler fails, panics or times out.
    ///
    /// `into_call` takes the call out of the request again, and `into_decision` may change its input
    /// before it is sent back.
    async fn decide<T: Clone + Send + Sync + 'static, A: 'static>(
        &self,
        handler: &Callback<Asked<T>, A>,
        request: T,
        incoming: &IncomingRequest,
        session: &Session,
        into_call: impl FnOnce(T) -> CanUseTool,
        into_decision: impl FnOnce(A, &mut CanUseTool) -> Decision,
    ) -> Answer {
        let request = Arc::new(request);
        let answer = handler
            .call(
                |cancelled| Asked::new(&request, incoming, session, cancelled),
                self.timeout,
            )
            .await;
        // Moved, unless the handler has kept its `Asked`: an input may be large.
        let mut call = into_call(Arc::unwrap_or_clone(request));
        let decision = match answer {
            Ok(answer) => into_decision(answer, &mut call),
            Err(failure) => {
                failure.log("permission");
                let handler = format_args!("The handler that decides about {}", call.tool_name);
                let reason = failure.describe(handler);
                Decision::deny(format!("{reason}. The call was denied."))
            }
        };
        success(&decision.answer(call))
    }
}

fn deny(call: CanUseTool, reason: String) -> Answer {
    success(&Decision::deny(reason).answer(call))
}
