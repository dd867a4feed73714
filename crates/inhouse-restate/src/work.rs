//! The virtual object of a work item: its text, its state and its questions.
//!
//! Prompts run in the exclusive handler of their session, which no other handler can write to meanwhile. So everything that is sent to a
//! work while it is queued or runs is kept in an object of the work, whose handlers are all short.

use std::time::Duration;

use inhouse_fleet::{Answer, Question, QuestionId, Reply};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::payload::{AnswerRequest, WorkState, WorkStatus};

/// The only key of the object's state.
const RECORD: &str = "record";
/// The answers to questions that a running turn has not reported yet, at most. A turn asks about one call at a time.
const MAX_EARLY: usize = 100;
/// What the model reads about a call whose question was not answered in time.
const EXPIRED: &str =
    "The question about this call was not answered in time, so the call was not made.";
/// What the model reads about a call whose work was cancelled.
const CANCELLED: &str = "The task was cancelled, so the call was not made. Stop here.";

/// The virtual object `InhouseWork`, whose key is the id of the work.
pub(crate) struct WorkObject {
    /// How long a finished work is remembered.
    pub(crate) retention: Duration,
}

/// The members by which a work item is recognized when it is sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) session: String,
    pub(crate) prompt: String,
}

/// The beginning of a work item, from its session.
#[derive(Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) text: Text,
    /// The invocation of the session that answers the prompt.
    pub(crate) invocation: String,
}

/// The answer to the registration of a work item.
#[derive(Serialize, Deserialize)]
pub(crate) enum Registered {
    /// The work has to be sent to its session.
    New,
    /// The work was sent before.
    Known,
    /// The id belongs to another text.
    Conflict(Text),
}

/// The answer to [`Begin`].
#[derive(Serialize, Deserialize)]
pub(crate) enum Begun {
    Run,
    Done(Reply),
    Cancelled,
    /// The id belongs to another text.
    Conflict(Text),
}

/// The end of a work item.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum End {
    Done(Reply),
    Parked(String),
    Cancelled,
}

/// Questions of a turn that was deferred.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Ask {
    /// The name of the signal that the invocation gets when the last question is answered.
    pub(crate) signal: String,
    pub(crate) questions: Vec<Question>,
}

#[derive(Default, Serialize, Deserialize)]
struct Record {
    text: Option<Text>,
    /// The invocation that runs the work, until it has ended.
    invocation: Option<String>,
    end: Option<End>,
    /// How often the work has ended, because a parked one can be sent again.
    ends: u32,
    asked: Vec<Asked>,
    /// The signal for the last answer, while the work is deferred.
    signal: Option<String>,
    /// Whether the invocation was cancelled: a second time would interrupt what it does about the first.
    is_cancelled: bool,
}

#[derive(Serialize, Deserialize)]
struct Asked {
    id: QuestionId,
    /// The question, unless its turn has not ended yet.
    question: Option<Question>,
    answer: Option<Answer>,
    /// Whether a turn has continued with the answer.
    is_used: bool,
}

#[restate_sdk::object(name = "InhouseWork", client_visibility = "pub(crate)")]
impl WorkObject {
    /// Registers a work item that is about to be sent to its session.
    #[handler(ingress_private)]
    async fn register(
        &self,
        ctx: ObjectContext<'_>,
        Json(text): Json<Text>,
    ) -> Result<Json<Registered>, HandlerError> {
        let mut record = load(&ctx).await?;
        if let Some(other) = record.text.take_if(|other| *other != text) {
            return Ok(Json(Registered::Conflict(other)));
        }
        let is_parked = matches!(record.end, Some(End::Parked(_)));
        if record.text.is_some() && !is_parked {
            return Ok(Json(Registered::Known));
        }
        if is_parked {
            record.end = None;
        }
        record.text = Some(text);
        store(&ctx, record);
        Ok(Json(Registered::New))
    }

    /// Begins the work, unless it was cancelled or answered before.
    #[handler(ingress_private)]
    async fn begin(
        &self,
        ctx: ObjectContext<'_>,
        Json(begin): Json<Begin>,
    ) -> Result<Json<Begun>, HandlerError> {
        let mut record = load(&ctx).await?;
        if let Some(text) = record.text.take_if(|text| *text != begin.text) {
            return Ok(Json(Begun::Conflict(text)));
        }
        match record.end.take() {
            Some(End::Done(reply)) => return Ok(Json(Begun::Done(reply))),
            Some(End::Cancelled) => return Ok(Json(Begun::Cancelled)),
            // Sent again after it was parked, which is how it is retried.
            Some(End::Parked(_)) | None => {}
        }
        record.text = Some(begin.text);
        record.invocation = Some(begin.invocation);
        record.signal = None;
        record.is_cancelled = false;
        store(&ctx, record);
        Ok(Json(Begun::Run))
    }

    /// Stores questions. Returns whether one of them is open.
    #[handler(ingress_private)]
    async fn ask(
        &self,
        ctx: ObjectContext<'_>,
        Json(ask): Json<Ask>,
    ) -> Result<bool, HandlerError> {
        let mut record = load(&ctx).await?;
        for question in ask.questions {
            let asked = record.asked(question.id);
            asked.question = Some(question);
        }
        let is_open = record.open().next().is_some();
        record.signal = is_open.then_some(ask.signal);
        store(&ctx, record);
        Ok(is_open)
    }

    /// Answers a question. The first answer counts.
    #[handler]
    async fn answer(
        &self,
        ctx: ObjectContext<'_>,
        Json(request): Json<AnswerRequest>,
    ) -> Result<(), HandlerError> {
        let refuse = |code, message| Err(TerminalError::new_with_code(code, message).into());
        if !request.answer.is_valid() {
            return refuse(400, "the input of a call is a JSON object".to_owned());
        }
        let mut record = load(&ctx).await?;
        let (work, id) = (ctx.key(), request.question);
        if record.invocation.is_none() || record.is_cancelled {
            return refuse(
                409,
                format!("work {work} does not run, and has no open question"),
            );
        }
        let is_deferred = record.signal.is_some();
        let early = record.asked.iter().filter(|asked| asked.question.is_none());
        let is_full = early.count() >= MAX_EARLY;
        let asked = record.asked(id);
        // A turn that runs has not reported its questions yet.
        if is_deferred && asked.question.is_none() {
            return refuse(404, format!("work {work} has no question {id}"));
        }
        if asked.question.is_none() && asked.answer.is_none() && is_full {
            let message = format!("work {work} has too many answers without a question");
            return refuse(409, message);
        }
        if asked.answer.is_some() {
            let message = format!("question {id} is answered already; the first answer counts");
            return refuse(409, message);
        }
        asked.answer = Some(request.answer);
        if record.open().next().is_none()
            && let (Some(signal), Some(invocation)) = (record.signal.take(), &record.invocation)
        {
            let invocation = ctx.invocation_handle(invocation.clone());
            invocation.signal(signal).resolve(());
        }
        store(&ctx, record);
        Ok(())
    }

    /// Ends the wait for answers. Questions without one are denied, and all new ones if the work was cancelled. Returns all answers of the
    /// work.
    #[handler(ingress_private)]
    async fn close(
        &self,
        ctx: ObjectContext<'_>,
        is_cancelled: bool,
    ) -> Result<Json<Vec<(QuestionId, Answer)>>, HandlerError> {
        let mut record = load(&ctx).await?;
        record.signal = None;
        let answers = record.asked.iter_mut().map(|asked| {
            if is_cancelled && !asked.is_used {
                asked.answer = Some(Answer::Deny(CANCELLED.to_owned()));
            }
            let expired = || Answer::Deny(EXPIRED.to_owned());
            let answer = asked.answer.get_or_insert_with(expired);
            asked.is_used = true;
            (asked.id, answer.clone())
        });
        let answers = answers.collect();
        store(&ctx, record);
        Ok(Json(answers))
    }

    /// Ends the work. The first end counts, because the call is repeated when it is interrupted.
    #[handler(ingress_private)]
    async fn end(&self, ctx: ObjectContext<'_>, Json(end): Json<End>) -> Result<(), HandlerError> {
        let record = load(&ctx).await?;
        if record.end.is_none() {
            self.finish(&ctx, record, end);
        }
        Ok(())
    }

    /// Cancels the work, whether it is queued, runs or is deferred. Does nothing if it has ended.
    #[handler]
    async fn cancel(&self, ctx: ObjectContext<'_>) -> Result<Json<WorkStatus>, HandlerError> {
        let mut record = load(&ctx).await?;
        if record.end.is_some() || record.is_cancelled {
            return Ok(Json(record.status()));
        }
        if let Some(invocation) = &record.invocation {
            // The session ends the work when its process is gone.
            ctx.invocation_handle(invocation.clone()).cancel();
            record.is_cancelled = true;
            let status = record.status();
            store(&ctx, record);
            return Ok(Json(status));
        }
        // Not begun yet: its session reads this when it is the work's turn.
        self.finish(&ctx, record, End::Cancelled);
        Ok(Json(WorkStatus::new(WorkState::Cancelled)))
    }

    /// Returns the state of the work.
    #[handler]
    async fn status(&self, ctx: SharedObjectContext<'_>) -> Result<Json<WorkStatus>, HandlerError> {
        let record = ctx.get::<Json<Record>>(RECORD).await?.unwrap_or_default();
        Ok(Json(record.into_inner().status()))
    }

    /// Forgets the work, if it has not been sent again since.
    #[handler(ingress_private)]
    async fn forget(&self, ctx: ObjectContext<'_>, ends: u32) -> Result<(), HandlerError> {
        let record = load(&ctx).await?;
        if record.end.is_some() && record.ends == ends {
            ctx.clear_all();
        }
        Ok(())
    }
}

impl WorkObject {
    fn finish(&self, ctx: &ObjectContext<'_>, mut record: Record, end: End) {
        record.invocation = None;
        record.signal = None;
        record.end = Some(end);
        record.ends += 1;
        let object = ctx.object_client::<WorkObjectClient<'_>>(ctx.key());
        object.forget(record.ends).send_after(self.retention);
        store(ctx, record);
    }
}

impl Text {
    pub(crate) fn new(session: &str, prompt: &str) -> Self {
        Self {
            session: session.to_owned(),
            prompt: prompt.to_owned(),
        }
    }
}

impl Record {
    /// Returns the entry of a question.
    fn asked(&mut self, id: QuestionId) -> &mut Asked {
        let known = self.asked.iter().position(|asked| asked.id == id);
        let index = known.unwrap_or_else(|| {
            self.asked.push(Asked {
                id,
                question: None,
                answer: None,
                is_used: false,
            });
            self.asked.len() - 1
        });
        &mut self.asked[index]
    }

    fn open(&self) -> impl Iterator<Item = &Question> {
        let open = self.asked.iter().filter(|asked| asked.answer.is_none());
        open.filter_map(|asked| asked.question.as_ref())
    }

    fn status(&self) -> WorkStatus {
        if self.end.is_none() && self.signal.is_some() {
            let questions = self.open().cloned().collect();
            return WorkStatus {
                questions,
                ..WorkStatus::new(WorkState::Deferred)
            };
        }
        match &self.end {
            Some(End::Done(reply)) => WorkStatus {
                reply: Some(reply.clone()),
                ..WorkStatus::new(WorkState::Done)
            },
            Some(End::Parked(reason)) => WorkStatus {
                reason: Some(reason.clone()),
                ..WorkStatus::new(WorkState::Parked)
            },
            Some(End::Cancelled) => WorkStatus::new(WorkState::Cancelled),
            None if self.invocation.is_some() => WorkStatus::new(WorkState::Running),
            None if self.text.is_some() => WorkStatus::new(WorkState::Queued),
            None => WorkStatus::new(WorkState::Unknown),
        }
    }
}

impl WorkStatus {
    fn new(state: WorkState) -> Self {
        Self {
            state,
            reply: None,
            reason: None,
            questions: Vec::new(),
        }
    }
}

async fn load(ctx: &ObjectContext<'_>) -> Result<Record, TerminalError> {
    let record = ctx.get::<Json<Record>>(RECORD).await?;
    Ok(record.unwrap_or_default().into_inner())
}

fn store(ctx: &ObjectContext<'_>, record: Record) {
    ctx.set(RECORD, Json(record));
}
