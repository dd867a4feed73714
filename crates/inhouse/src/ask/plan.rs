//! Plans: approving what Claude proposes in plan mode.
//!
//! In plan mode Claude changes nothing but a file for its plan, and then asks with the tool
//! `ExitPlanMode` whether to carry the plan out. [`Options::on_plan`](crate::Options::on_plan) answers.
//!
//! ```
//! use inhouse::options::PermissionMode;
//! use inhouse::plan::{PlanDecision, PlanRequest};
//! use inhouse::{Asked, Options};
//!
//! let options = Options::new()
//!     .permission_mode(PermissionMode::Plan)
//!     .on_plan(async |asked: Asked<PlanRequest>| {
//!         let plan = asked.request.plan.as_deref().unwrap_or_default();
//!         Ok(match plan.contains("tests") {
//!             true => PlanDecision::approve().mode(PermissionMode::AcceptEdits),
//!             false => PlanDecision::reject("Say how it will be tested."),
//!         })
//!     });
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     let reply = cli.can_use_tool("ExitPlanMode", serde_json::json!({"plan": "# Dig"})).await;
//! #     assert_eq!(reply["message"], "Say how it will be tested.");
//! # }));
//! ```

use std::mem;

use inhouse_proto::control::incoming::CanUseTool;
#[doc(inline)]
pub use inhouse_proto::control::incoming::ExitPlanMode;

use super::asked::Subject;
use super::permission::{Decision, PermissionMode, PermissionUpdate, UpdateDestination};

/// A call of `ExitPlanMode`: a plan that waits for approval.
///
/// ```
/// use inhouse::plan::{PlanDecision, PlanRequest};
/// use inhouse::{Asked, Options};
///
/// let options = Options::new().on_plan(async |asked: Asked<PlanRequest>| {
///     // The user sees where the plan is.
///     let path = asked.request.plan_file_path.as_deref().unwrap_or("no file");
///     Ok(PlanDecision::reject(format!("The user is reading {path}.")))
/// });
/// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
/// #     let input = serde_json::json!({"plan": "# Dig", "planFilePath": "/tmp/plan.md"});
/// #     let reply = cli.can_use_tool("ExitPlanMode", input).await;
/// #     assert_eq!(reply["message"], "The user is reading /tmp/plan.md.");
/// # }));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The plan, in Markdown, as the CLI read it from the plan file. `None` if the model wrote no
    /// file, whatever it passed in the call (2.1.325).
    pub plan: Option<String>,
    /// The path of the plan file.
    pub plan_file_path: Option<String>,
    /// The tool call by which the model asks.
    pub call: CanUseTool,
}

impl Subject for PlanRequest {
    fn subject(&self) -> &str {
        &self.call.tool_name
    }
}

impl PlanRequest {
    pub(super) fn new(asked: ExitPlanMode, call: CanUseTool) -> Self {
        Self {
            plan: asked.plan,
            plan_file_path: asked.plan_file_path,
            call,
        }
    }
}

/// Whether the model may carry out its plan.
#[derive(Clone, Debug)]
#[must_use = "a decision has no effect unless the handler returns it"]
pub struct PlanDecision(Verdict);

#[derive(Clone, Debug)]
enum Verdict {
    Approve {
        mode: Option<PermissionMode>,
        edited: Option<String>,
    },
    Reject {
        feedback: String,
    },
}

impl PlanDecision {
    /// Approves the plan: the session leaves plan mode and the model carries it out.
    ///
    /// The session continues in [`PermissionMode::Default`] unless [`mode`](Self::mode) sets another
    /// mode.
    ///
    /// ```
    /// use inhouse::plan::{PlanDecision, PlanRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve()));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("ExitPlanMode", serde_json::json!({"plan": "# Dig"})).await;
    /// #     assert_eq!(reply["behavior"], "allow");
    /// # }));
    /// ```
    pub fn approve() -> Self {
        Self(Verdict::Approve {
            mode: None,
            edited: None,
        })
    }

    /// Rejects the plan: the session stays in plan mode and the model reads `feedback`.
    ///
    /// ```
    /// use inhouse::plan::{PlanDecision, PlanRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::reject("Add tests.")));
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("ExitPlanMode", serde_json::json!({"plan": "# Dig"})).await;
    /// #     assert_eq!(reply["message"], "Add tests.");
    /// # }));
    /// ```
    pub fn reject(feedback: impl Into<String>) -> Self {
        Self(Verdict::Reject {
            feedback: feedback.into(),
        })
    }

    /// Sets the mode in which an approved plan is carried out, such as
    /// [`PermissionMode::AcceptEdits`]. Has no effect on a rejection.
    ///
    /// ```
    /// use inhouse::options::PermissionMode;
    /// use inhouse::plan::{PlanDecision, PlanRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .on_plan(async |_: Asked<PlanRequest>| {
    ///         Ok(PlanDecision::approve().mode(PermissionMode::AcceptEdits))
    ///     });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("ExitPlanMode", serde_json::json!({"plan": "# Dig"})).await;
    /// #     assert_eq!(reply["updatedPermissions"][0]["mode"], "acceptEdits");
    /// # }));
    /// ```
    pub fn mode(mut self, wanted: PermissionMode) -> Self {
        if let Verdict::Approve { mode, .. } = &mut self.0 {
            *mode = Some(wanted);
        }
        self
    }

    /// Approves `plan` instead of the plan that the model wrote; the model reads it and that it was
    /// edited. Has no effect on a rejection.
    ///
    /// ```
    /// use inhouse::plan::{PlanDecision, PlanRequest};
    /// use inhouse::{Asked, Options};
    ///
    /// let options = Options::new()
    ///     .on_plan(async |_: Asked<PlanRequest>| {
    ///         Ok(PlanDecision::approve().edited("# Dig a well"))
    ///     });
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("ExitPlanMode", serde_json::json!({"plan": "# Dig"})).await;
    /// #     assert_eq!(reply["updatedInput"]["plan"], "# Dig a well");
    /// # }));
    /// ```
    pub fn edited(mut self, plan: impl Into<String>) -> Self {
        if let Verdict::Approve { edited, .. } = &mut self.0 {
            *edited = Some(plan.into());
        }
        self
    }

    pub(super) fn into_decision(self, call: &mut CanUseTool) -> Decision {
        let (mode, edited) = match self.0 {
            Verdict::Approve { mode, edited } => (mode, edited),
            Verdict::Reject { feedback } => return Decision::deny(feedback),
        };
        if let Some(plan) = edited {
            call.input = ExitPlanMode::edited_input(mem::take(&mut call.input), plan);
        }
        match mode {
            Some(mode) => Decision::allow()
                .remember(PermissionUpdate::set_mode(mode, UpdateDestination::Session)),
            None => Decision::allow(),
        }
    }
}
