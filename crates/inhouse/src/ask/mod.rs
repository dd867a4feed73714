//! Requests of the CLI that the host decides on: permissions, questions, plans, elicitations and
//! dialogs.
//!
//! Each kind has a module with its types and the code that answers it. A request that cannot be
//! decoded, and one whose handler fails, panics or times out, is answered with a refusal, so that no
//! failure allows anything.

mod asked;
mod decision;
pub mod dialog;
pub mod elicitation;
pub mod permission;
pub mod plan;
mod policy;
pub mod question;
mod rule;
pub(crate) mod tool_name;

use std::collections::BTreeMap;
use std::time::Duration;

use inhouse_proto::control::incoming::Answer;
use serde::Serialize;

pub use self::asked::Asked;
use self::dialog::{DialogAnswer, DialogRequest};
use self::elicitation::{ElicitationAnswer, ElicitationRequest};
use self::permission::Policy;
use self::plan::{PlanDecision, PlanRequest};
use self::question::{Answers, QuestionRequest};
use crate::user_code::Callback;

pub(crate) use self::rule::Parentheses;

/// The handlers that answer these requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskHandlers {
    pub(crate) policy: Option<Policy>,
    pub(crate) question: Option<Callback<Asked<QuestionRequest>, Answers>>,
    pub(crate) plan: Option<Callback<Asked<PlanRequest>, PlanDecision>>,
    pub(crate) elicitation: Option<Callback<Asked<ElicitationRequest>, ElicitationAnswer>>,
    pub(crate) dialogs: BTreeMap<String, Callback<Asked<DialogRequest>, DialogAnswer>>,
    /// The time limit of the handlers for tool calls, questions and plans.
    pub(crate) timeout: Option<Duration>,
}

impl AskHandlers {
    /// Returns whether a handler decides about tool calls, so that the CLI has to ask the host.
    pub(crate) fn decide_tool_calls(&self) -> bool {
        self.policy.is_some() || self.question.is_some() || self.plan.is_some()
    }
}

fn success(payload: &impl Serialize) -> Answer {
    Answer::success(payload).unwrap_or_else(|error| Answer::error(error.to_string()))
}
