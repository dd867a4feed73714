//! The virtual object of a session: its exclusive handler answers one prompt after another.

use std::time::Duration;

use inhouse_fleet::{Answer, Question, QuestionId, Reply, Work, WorkId};
use restate_sdk::prelude::*;

use crate::payload::{Enqueued, Prompt, SessionStatus, id_of_invocation};
use crate::turn::{Again, TurnClient, TurnEnd, TurnRequest};
use crate::work::{Ask, Begin, Begun, End, Registered, Text, WorkObjectClient};

/// The key of the state with the current work.
const CURRENT: &str = "current";
/// The longest pause before a turn is tried again.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// The code of Restate's error when an invocation is cancelled.
const CANCELLED: u16 = 409;
/// How often a work item that is cancelled may ask about further calls before its turn is left as it is.
const MAX_DENIALS: u32 = 10;
/// The length of a text in an error.
const EXCERPT: usize = 100;

/// The virtual object `InhouseSession`, whose key is the name of the session.
///
/// Its handler only waits for other handlers, for signals and for timers, so that Restate can suspend it: a session whose prompt runs or
/// is deferred keeps nothing of a worker. The turn itself runs in [`Turn`](crate::turn::Turn).
pub(crate) struct Session {
    pub(crate) max_attempts: u32,
    pub(crate) retry_pause: Duration,
    pub(crate) question_ttl: Duration,
}

/// How far the answer to a prompt has got.
#[derive(Default)]
struct Progress {
    answers: Vec<(QuestionId, Answer)>,
    attempts: u32,
    /// How often a turn was lost, whether that was charged or not.
    losses: u32,
    pauses: u32,
    deferrals: u32,
    /// The work was cancelled while it waited for answers.
    is_cancelled: bool,
    denials: u32,
}

#[restate_sdk::object(name = "InhouseSession", client_visibility = "pub(crate)")]
impl Session {
    /// Enqueues a prompt, unless it was enqueued before.
    ///
    /// The prompt is sent from the partition of its session, whose messages keep their order: prompts are answered in the order in which
    /// this handler has returned.
    #[handler]
    async fn enqueue(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(mut prompt): Json<Prompt>,
    ) -> Result<Json<Enqueued>, HandlerError> {
        check(&prompt)?;
        let id = prompt.work_id(ctx.key());
        let work = id.unwrap_or_else(|| id_of_invocation(ctx.invocation_id()));
        if prompt.dedupe.is_none() {
            prompt.id = Some(work);
        }
        let text = Text::new(ctx.key(), &prompt.prompt);
        let object = ctx.object_client::<WorkObjectClient<'_>>(work.to_string());
        let registered = object.register(Json(text.clone())).call().await?;
        match registered.into_inner() {
            Registered::New => {
                let session = ctx.object_client::<SessionClient<'_>>(ctx.key());
                session.prompt(Json(prompt)).send();
            }
            Registered::Known => {}
            Registered::Conflict(other) => return Err(conflict(work, &text, &other).into()),
        }
        Ok(Json(Enqueued { work }))
    }

    /// Answers a prompt.
    #[handler]
    async fn prompt(
        &self,
        ctx: ObjectContext<'_>,
        Json(prompt): Json<Prompt>,
    ) -> Result<Json<Reply>, HandlerError> {
        check(&prompt)?;
        let text = Text::new(ctx.key(), &prompt.prompt);
        let work = work_of(&ctx, prompt);
        let begin = Begin {
            text: text.clone(),
            invocation: ctx.invocation_id().to_owned(),
        };
        let begun = object(&ctx, work.id).begin(Json(begin)).call().await;
        let end = match begun.map(Json::into_inner) {
            Ok(Begun::Run) => {
                ctx.set(CURRENT, work.id.to_string());
                self.answer(&ctx, &work).await
            }
            Ok(Begun::Done(reply)) => return Ok(Json(reply)),
            Ok(Begun::Cancelled) => return Err(cancelled(work.id).into()),
            Ok(Begun::Conflict(other)) => return Err(conflict(work.id, &text, &other).into()),
            Err(error) => Err(error),
        };
        let end = match end {
            Ok(end) => end,
            Err(error) => {
                // The turn was cancelled together with this handler; the next prompt must not begin before its process is gone.
                let turn = ctx.object_client::<TurnClient<'_>>(ctx.key());
                until_done(|_| turn.settle().call()).await?;
                match error.code() {
                    CANCELLED => End::Cancelled,
                    _ => End::Parked(format!("by Restate: {}", error.message())),
                }
            }
        };
        let result = match &end {
            End::Done(reply) => Ok(Json(reply.clone())),
            End::Parked(reason) => Err(parked(work.id, reason).into()),
            End::Cancelled => Err(cancelled(work.id).into()),
        };
        until_done(|_| object(&ctx, work.id).end(Json(end.clone())).call()).await?;
        ctx.clear(CURRENT);
        result
    }

    /// Returns the current work of the session.
    #[handler]
    async fn status(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> Result<Json<SessionStatus>, HandlerError> {
        let current = ctx.get::<String>(CURRENT).await?;
        let work = current.and_then(|id| id.parse().ok());
        Ok(Json(SessionStatus { work }))
    }
}

impl Session {
    /// Runs turns until the prompt is answered. Fails if a turn is cancelled.
    async fn answer(&self, ctx: &ObjectContext<'_>, work: &Work) -> Result<End, TerminalError> {
        let mut state = Progress::default();
        loop {
            let request = TurnRequest {
                work: work.clone(),
                answers: state.answers.clone(),
                attempts: state.attempts,
                losses: state.losses,
                max_attempts: self.max_attempts,
            };
            let turn = ctx.object_client::<TurnClient<'_>>(ctx.key());
            let Json(end) = turn.run(Json(request)).call().await?;
            let (charged, losses, reason, again) = match end {
                TurnEnd::Done(_) if state.is_cancelled => return Ok(End::Cancelled),
                TurnEnd::Done(reply) => return Ok(End::Done(reply)),
                TurnEnd::Cancelled => return Ok(End::Cancelled),
                TurnEnd::Deferred(_) if state.is_cancelled && state.denials == MAX_DENIALS => {
                    return Ok(End::Cancelled);
                }
                TurnEnd::Deferred(questions) => {
                    state.denials += u32::from(state.is_cancelled);
                    if self.ask(ctx, work.id, questions, &mut state).await? {
                        continue;
                    }
                    // Answered before: a host that asks the same questions forever must not do so at full speed.
                    (0, 0, String::new(), Again::Later)
                }
                TurnEnd::Unfinished {
                    charged,
                    losses,
                    reason,
                    again,
                } => (charged, losses, reason, again),
            };
            state.attempts += charged;
            state.losses += losses;
            let attempts = state.attempts;
            if charged > 0 && attempts >= self.max_attempts {
                return Ok(match state.is_cancelled {
                    true => End::Cancelled,
                    false => End::Parked(format!("after {attempts} attempts: {reason}")),
                });
            }
            match again {
                Again::AtOnce => {}
                Again::Soon => ctx.sleep(self.retry_pause).await?,
                Again::Later => {
                    ctx.sleep(self.pause(state.pauses)).await?;
                    state.pauses += 1;
                }
            }
        }
    }

    /// Waits until questions are answered, expire, or the work is cancelled. Returns whether one of them was open.
    ///
    /// A call that was deferred stays in the transcript, and the CLI would ask about it again under the next prompt (2.1.325). So the turn
    /// of a work item that is cancelled meanwhile continues, with its calls denied.
    async fn ask(
        &self,
        ctx: &ObjectContext<'_>,
        work: WorkId,
        questions: Vec<Question>,
        state: &mut Progress,
    ) -> Result<bool, TerminalError> {
        state.deferrals += 1;
        let signal = format!("answered-{}", state.deferrals);
        let ask = Ask { signal, questions };
        let call = |_| object(ctx, work).ask(Json(ask.clone())).call();
        let (is_open, is_interrupted) = until_done(call).await?;
        state.is_cancelled |= is_interrupted;
        if is_open && !state.is_cancelled {
            state.is_cancelled = self.answered(ctx, &ask.signal).await.is_err();
        }
        // The object decides whether an answer or the expiry came first.
        let is_cancelled = state.is_cancelled;
        let call = |is_interrupted| {
            let close = object(ctx, work).close(is_cancelled || is_interrupted);
            close.call()
        };
        let (Json(answers), is_interrupted) = until_done(call).await?;
        state.is_cancelled |= is_interrupted;
        state.answers = answers;
        if is_open {
            // The turn gets further, so it has all of its attempts again.
            (state.attempts, state.losses, state.pauses) = (0, 0, 0);
        }
        Ok(is_open)
    }

    /// Waits for the signal that all questions are answered, at most until they expire. Fails if the work is cancelled.
    async fn answered(&self, ctx: &ObjectContext<'_>, signal: &str) -> Result<(), TerminalError> {
        let answered = ctx.signal::<()>(signal);
        restate_sdk::select! {
            answered = answered => answered,
            expired = ctx.sleep(self.question_ttl) => expired,
        }
    }

    /// Returns the pause before the next turn: twice the last one.
    fn pause(&self, pauses: u32) -> Duration {
        let factor = 2_u32.saturating_pow(pauses);
        self.retry_pause.saturating_mul(factor).min(MAX_PAUSE)
    }
}

fn check(prompt: &Prompt) -> Result<(), TerminalError> {
    if prompt.id.is_some() && prompt.dedupe.is_some() {
        let message = "`id` and `dedupe` exclude each other; the id is computed from the key";
        return Err(TerminalError::new_with_code(400, message));
    }
    Ok(())
}

fn work_of(ctx: &ObjectContext<'_>, prompt: Prompt) -> Work {
    let id = prompt.work_id(ctx.key());
    let id = id.unwrap_or_else(|| id_of_invocation(ctx.invocation_id()));
    let mut work = Work::new(ctx.key(), prompt.prompt).with_id(id);
    if let Some(tenant) = prompt.tenant {
        work = work.tenant(tenant);
    }
    match prompt.dedupe {
        Some(key) => work.dedupe(key),
        None => work,
    }
}

fn object<'ctx>(ctx: &ObjectContext<'ctx>, work: WorkId) -> WorkObjectClient<'ctx> {
    ctx.object_client(work.to_string())
}

/// Repeats a call that a cancellation interrupts, with whether it is repeated. Returns its result, and whether it was interrupted.
async fn until_done<T, F>(call: impl Fn(bool) -> F) -> Result<(T, bool), TerminalError>
where
    F: Future<Output = Result<T, TerminalError>>,
{
    let mut is_interrupted = false;
    loop {
        match call(is_interrupted).await {
            Ok(value) => return Ok((value, is_interrupted)),
            Err(error) if error.code() != CANCELLED => return Err(error),
            Err(_) => is_interrupted = true,
        }
    }
}

fn cancelled(work: WorkId) -> TerminalError {
    TerminalError::new_with_code(CANCELLED, format!("work {work} was cancelled"))
}

fn parked(work: WorkId, reason: &str) -> TerminalError {
    TerminalError::new(format!("work {work} is parked {reason}"))
}

fn conflict(work: WorkId, text: &Text, other: &Text) -> TerminalError {
    let message = format!(
        "work {work} is {:?} of session {:?}, and not {:?} of session {:?}",
        excerpt(&other.prompt),
        other.session,
        excerpt(&text.prompt),
        text.session,
    );
    TerminalError::new_with_code(422, message)
}

fn excerpt(text: &str) -> &str {
    let end = text.char_indices().nth(EXCERPT).map(|(end, _)| end);
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let session = Session {
            max_attempts: 5,
            retry_pause: Duration::from_secs(1),
            question_ttl: Duration::from_secs(1),
        };
        let pauses: Vec<_> = (0..8).map(|n| session.pause(n).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(session.pause(u32::MAX), MAX_PAUSE);
    }

    #[test]
    fn excerpt_ends_between_characters() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"ü".repeat(101)), "ü".repeat(100));
    }
}
