//! Approving plans.
//!
//! In plan mode the model looks around and writes a plan into a file; the tool `ExitPlanMode` asks
//! a person whether to carry it out. [`Options::on_plan`](crate::Options::on_plan) answers.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::options::PermissionMode;
//! use inhouse::plan::{PlanDecision, PlanRequest};
//!
//! let options = Options::new()
//!     .permission_mode(PermissionMode::Plan)
//!     .on_plan(async |request: PlanRequest| {
//!         let plan = request.plan.as_deref().unwrap_or_default();
//!         Ok(match plan.contains("tests") {
//!             true => PlanDecision::approve().mode(PermissionMode::AcceptEdits),
//!             false => PlanDecision::reject("Say how it will be tested."),
//!         })
//!     });
//! # let _ = options;
//! ```

use std::fmt;
use std::ops::Deref;

use inhouse_proto::control::incoming::CanUseTool;
pub use inhouse_proto::control::incoming::ExitPlanMode;

use crate::permission::{Decision, PermissionMode, PermissionRequest, SetMode, UpdateDestination};
use crate::session::Session;
use crate::tool::Cancelled;

/// A plan that waits for approval.
///
/// It has all that [`ExitPlanMode`] has, so `request.plan` is there. A model that wrote no file
/// for its plan has none to show.
///
/// # Cancellation
/// When the turn is interrupted the handler is dropped at its next `await` and nothing is answered.
#[derive(Clone)]
pub struct PlanRequest {
    plan: ExitPlanMode,
    request: PermissionRequest,
}

impl PlanRequest {
    pub(crate) fn new(plan: ExitPlanMode, request: PermissionRequest) -> Self {
        Self { plan, request }
    }

    /// The tool call by which the model asks.
    #[must_use]
    pub fn call(&self) -> &CanUseTool {
        &self.request
    }

    /// The session in which it is asked.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.request.session()
    }

    /// Tells work that was handed elsewhere that nobody waits for the decision any more.
    #[must_use]
    pub fn cancelled(&self) -> &Cancelled {
        self.request.cancelled()
    }
}

impl Deref for PlanRequest {
    type Target = ExitPlanMode;

    fn deref(&self) -> &ExitPlanMode {
        &self.plan
    }
}

impl fmt::Debug for PlanRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanRequest")
            .field("plan_file_path", &self.plan_file_path)
            .finish_non_exhaustive()
    }
}

/// Whether a plan is carried out.
#[derive(Clone, Debug)]
#[must_use = "a decision has to be returned to be heard"]
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
    /// Leaves plan mode; the model carries the plan out.
    ///
    /// The session goes on in [`PermissionMode::Default`] unless [`mode`](Self::mode) names
    /// another.
    pub fn approve() -> Self {
        Self(Verdict::Approve {
            mode: None,
            edited: None,
        })
    }

    /// Stays in plan mode; the model reads this and plans again.
    pub fn reject(feedback: impl Into<String>) -> Self {
        Self(Verdict::Reject {
            feedback: feedback.into(),
        })
    }

    /// The mode in which an approved plan is carried out, such as
    /// [`PermissionMode::AcceptEdits`]. Without effect on a rejection.
    pub fn mode(mut self, wanted: PermissionMode) -> Self {
        if let Verdict::Approve { mode, .. } = &mut self.0 {
            *mode = Some(wanted);
        }
        self
    }

    /// Approves another plan than the model wrote; it reads this one, and that it was edited.
    /// Without effect on a rejection.
    pub fn edited(mut self, plan: impl Into<String>) -> Self {
        if let Verdict::Approve { edited, .. } = &mut self.0 {
            *edited = Some(plan.into());
        }
        self
    }

    /// What the CLI is told.
    pub(crate) fn decision(self, call: &CanUseTool) -> Decision {
        match self.0 {
            Verdict::Approve { mode, edited } => {
                let mut decision = Decision::allow();
                if let Some(plan) = edited {
                    decision = decision.input(ExitPlanMode::edited_input(call.input.clone(), plan));
                }
                match mode {
                    Some(mode) => decision.remember(SetMode::new(mode, UpdateDestination::Session)),
                    None => decision,
                }
            }
            Verdict::Reject { feedback } => Decision::deny(feedback),
        }
    }
}
