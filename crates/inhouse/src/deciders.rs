//! Who in the host decides what the CLI wants a person to decide.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use inhouse_proto::control::incoming::{
    Answer, CanUseTool, DialogAnswer, Elicitation, ElicitationAnswer, Incoming, RequestUserDialog,
};
use serde::Serialize;

use crate::callback::{Callback, Failure};
use crate::dialog::DialogRequest;
use crate::driver::Answering;
use crate::elicitation::ElicitationRequest;
use crate::permission::{Decision, PermissionRequest, Policy};
use crate::plan::{PlanDecision, PlanRequest};
use crate::question::{Answers, QuestionRequest};
use crate::session::Session;

/// The handlers for tool calls, questions, plans, elicitations and dialogs.
///
/// Whoever is in doubt says no: a handler that fails never lets anything happen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deciders {
    pub(crate) policy: Option<Policy>,
    pub(crate) question: Option<Callback<QuestionRequest, Answers>>,
    pub(crate) plan: Option<Callback<PlanRequest, PlanDecision>>,
    pub(crate) elicitation: Option<Callback<ElicitationRequest, ElicitationAnswer>>,
    pub(crate) dialogs: BTreeMap<String, Callback<DialogRequest, DialogAnswer>>,
    /// How long a handler for tool calls, questions and plans may take.
    pub(crate) timeout: Option<Duration>,
}

impl Deciders {
    /// Whether anybody decides about tool calls, so that the CLI has to ask.
    pub(crate) fn decide_about_calls(&self) -> bool {
        self.policy.is_some() || self.question.is_some() || self.plan.is_some()
    }

    /// Begins to answer a request, if there is somebody for it.
    pub(crate) fn begin(&self, request: &Incoming<'_>, session: &Session) -> Option<Answering> {
        match request {
            Incoming::CanUseTool(call) => self.about_call(call, session),
            Incoming::Elicitation(asked) => self.about_elicitation(asked, session),
            Incoming::RequestUserDialog(dialog) => self.about_dialog(dialog, session),
            _ => None,
        }
    }

    fn about_call(&self, call: &CanUseTool, session: &Session) -> Option<Answering> {
        let asked = Call {
            call: Box::new(call.clone()),
            session: session.clone(),
            timeout: self.timeout,
        };
        if let (Some(handler), Some(question)) = (&self.question, call.as_question()) {
            return Some(match question {
                Ok(question) => asked.put_to(
                    handler,
                    |request| QuestionRequest::new(question, request),
                    Answers::decision,
                ),
                Err(mismatch) => asked.deny(format!("The questions cannot be read: {mismatch}")),
            });
        }
        if let (Some(handler), Some(plan)) = (&self.plan, call.as_plan()) {
            return Some(match plan {
                Ok(plan) => asked.put_to(
                    handler,
                    |request| PlanRequest::new(plan, request),
                    PlanDecision::decision,
                ),
                Err(mismatch) => asked.deny(format!("The plan cannot be read: {mismatch}")),
            });
        }
        let decider = self.policy.as_ref()?.decider();
        Some(asked.put_to(&decider, |request| request, |decision, _| decision))
    }

    fn about_elicitation(&self, asked: &Elicitation, session: &Session) -> Option<Answering> {
        let (asked, session) = (Box::new(asked.clone()), session.clone());
        let request = |cancelled| ElicitationRequest::new(asked, session, cancelled);
        let answering = self.elicitation.as_ref()?.ask(request, None);
        // The server cannot tell it from a person who went away, and must not take it for a no.
        Some(answer_or(
            answering,
            "elicitation",
            ElicitationAnswer::Cancel,
        ))
    }

    fn about_dialog(&self, dialog: &RequestUserDialog, session: &Session) -> Option<Answering> {
        let handler = self.dialogs.get(&dialog.dialog_kind)?;
        let (dialog, session) = (dialog.clone(), session.clone());
        let request = |cancelled| DialogRequest::new(dialog, session, cancelled);
        // The CLI discards an error and would go on waiting, while nobody else shows this kind.
        Some(answer_or(
            handler.ask(request, None),
            "dialog",
            DialogAnswer::Cancelled,
        ))
    }
}

/// A tool call that somebody decides about.
struct Call {
    call: Box<CanUseTool>,
    session: Session,
    timeout: Option<Duration>,
}

impl Call {
    fn put_to<Q, A>(
        self,
        handler: &Callback<Q, A>,
        question: impl FnOnce(PermissionRequest) -> Q,
        decision: impl FnOnce(A, &CanUseTool) -> Decision + Send + 'static,
    ) -> Answering
    where
        Q: Send + 'static,
        A: Send + 'static,
    {
        let Self {
            call,
            session,
            timeout,
        } = self;
        let shown = call.clone();
        let request = |cancelled| question(PermissionRequest::new(shown, session, cancelled));
        let answering = handler.ask(request, timeout);
        Box::pin(async move {
            let decision = match answering.await {
                Ok(answer) => decision(answer, &call),
                Err(failure) => {
                    note(&failure, "permission");
                    Decision::deny(format!(
                        "The handler that decides about {} {failure}. The call was denied.",
                        call.tool_name
                    ))
                }
            };
            success(&decision.answer(&call))
        })
    }

    fn deny(self, message: String) -> Answering {
        let answer = success(&Decision::deny(message).answer(&self.call));
        Box::pin(std::future::ready(answer))
    }
}

/// The answer of a handler, or this one when it has none.
fn answer_or<A: Serialize + Send + 'static>(
    answering: impl Future<Output = Result<A, Failure>> + Send + 'static,
    about: &'static str,
    otherwise: A,
) -> Answering {
    Box::pin(async move {
        let answer = answering.await.unwrap_or_else(|failure| {
            note(&failure, about);
            otherwise
        });
        success(&answer)
    })
}

fn note(failure: &Failure, about: &'static str) {
    match failure {
        // Its text may quote what was asked.
        Failure::Error(error) => {
            tracing::warn!(about, "a handler failed");
            tracing::trace!(%error, "how it failed");
        }
        Failure::Panic => tracing::error!(about, "a handler panicked"),
        Failure::Timeout(timeout) => tracing::warn!(about, ?timeout, "a handler took too long"),
    }
}

fn success(payload: &impl Serialize) -> Answer {
    Answer::success(payload).unwrap_or_else(|error| Answer::error(error.to_string()))
}
