//! One attempt at a work item, from the lease to the outcome.

use std::future::pending;
use std::time::Duration;

use futures_util::FutureExt as _;
use inhouse::message::{Message, Prompt, Received, ResultMessage};
use inhouse::sessions::SessionLease;
use inhouse::{Control, ErrorKind, MessageStream, Options, query};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::ask::QuestionChannel;
use super::end::End;
use super::held::HeldSession;
use super::history::{History, is_deferred, is_unavailable, reply};
use super::save::{Saver, in_time};
use super::{Host, HostError, HostErrorKind, TurnEvents};
use crate::{Fence, Outcome, Reply, Work};

/// Replaces the key of the project that the CLI derives from its working directory.
const PROJECT_NAME: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";

/// How long the closure that makes the options may take.
const OPTIONS: Duration = Duration::from_secs(300);

/// One attempt at a work item.
pub(super) struct Attempt<'a> {
    pub(super) host: &'a Host,
    pub(super) work: &'a Work,
    pub(super) stop: &'a CancellationToken,
    pub(super) events: &'a dyn TurnEvents,
}

/// A session that is about to run.
enum Prepared {
    /// The work was answered before.
    Answered(Reply),
    Ready(Box<Ready>),
}

struct Ready {
    options: Options,
    saver: Option<Saver>,
    /// The cost of the session so far in US dollars.
    spent: f64,
    has_stale_call: bool,
}

impl Ready {
    /// Returns whether a result is that of the work item, whose prompt, or one that continues it, is the only one that was sent.
    ///
    /// The CLI first ends the turn of a call that waits for an answer. The result of that turn names no prompt (2.1.325).
    fn is_answered_by(&self, result: &ResultMessage) -> bool {
        let names_prompt = result.user_message_uuid.is_some()
            || result
                .user_message_uuids
                .as_ref()
                .is_some_and(|named| !named.is_empty());
        names_prompt || !self.has_stale_call
    }
}

impl Attempt<'_> {
    pub(super) async fn run(&self) -> Result<Outcome, HostError> {
        let begun = Instant::now();
        let outcome = match self.run_in_slot().await {
            Ok(outcome) | Err(End::Outcome(outcome)) => Ok(outcome),
            Err(End::Failed(error)) => Err(error),
        };
        self.host.counters.end(outcome.as_ref(), begun.elapsed());
        match &outcome {
            Ok(Outcome::Done(reply)) => {
                tracing::info!(is_error = reply.is_error, "turn done");
            }
            Ok(Outcome::Deferred(questions)) => {
                tracing::info!(questions = questions.len(), "turn deferred");
            }
            Ok(Outcome::Cancelled) => {
                tracing::info!("turn cancelled");
            }
            Ok(Outcome::Fenced) => {
                tracing::warn!("turn fenced: the lease of the session is lost");
            }
            Err(error) => {
                tracing::warn!(%error, kind = ?error.kind(), "turn failed");
            }
        }
        outcome
    }

    async fn run_in_slot(&self) -> Result<Outcome, End> {
        let _slot = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Ok(Outcome::Cancelled),
            slot = self.host.slots.acquire() => slot.expect("the semaphore is never closed"),
        };
        let _active = self.host.counters.begin();
        let lease = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Ok(Outcome::Cancelled),
            lease = self.acquire() => lease?,
        };
        let outcome = self.run_under(&lease).await;
        lease.release().await;
        outcome
    }

    /// Acquires the lease of the session, as soon as no other host has it.
    async fn acquire(&self) -> Result<SessionLease, End> {
        let settings = &self.host.settings;
        let options = self.with_session(Options::new());
        // A store that does not answer within the time of a lease could not renew one either. Another host may have a better connection.
        let ttl = settings.lease_ttl;
        let options = options.lease_ttl(ttl).load_timeout(ttl);
        let id = self.work.session_id().to_string();
        let mut held = HeldSession::new();
        loop {
            match acquire_or_release(options.clone(), id.clone()).await {
                Ok(lease) => {
                    if self.work.taken_over {
                        self.host.counters.count_takeover();
                        tracing::info!(epoch = lease.epoch().get(), "prompt taken over");
                    }
                    return Ok(lease);
                }
                // The store did not answer.
                Err(error) if error.is_timeout() => {
                    let text = error.to_string();
                    let error = HostError::new(HostErrorKind::Store, text).with_source(error);
                    return Err(error.into());
                }
                Err(error) => held.wait(error).await?,
            }
        }
    }

    /// Names the store and the project of the session.
    fn with_session(&self, options: Options) -> Options {
        let settings = &self.host.settings;
        options
            .store(settings.store.clone())
            .env(PROJECT_NAME, &settings.project)
    }

    async fn run_under(&self, lease: &SessionLease) -> Result<Outcome, End> {
        let session = lease.session();
        let fence = Fence::new(
            session.project().as_str(),
            self.work.session_id(),
            lease.epoch().get(),
        );
        let mut asking = QuestionChannel::new(self.work, &fence);
        let prepared = tokio::select! {
            biased;
            end = self.interrupted(lease) => return Err(end),
            prepared = self.prepare(lease, &fence, &asking) => prepared?,
        };
        let ready = match prepared {
            Prepared::Answered(reply) => return Ok(Outcome::Done(reply)),
            Prepared::Ready(ready) => ready,
        };
        let result = self.run_turn(lease, &ready, &mut asking).await?;
        self.save(lease, ready.saver.as_ref()).await?;
        self.note_cost(&result, ready.spent);
        if is_deferred(&result) {
            return match asking.open() {
                open if open.is_empty() => Err(deferred_by_another()),
                open => Ok(Outcome::Deferred(open)),
            };
        }
        if is_unavailable(&result) {
            return Err(unavailable_call());
        }
        self.host.counters.count_answer();
        reply(&result, fence).map(Outcome::Done)
    }

    /// Waits until the attempt must not continue.
    async fn interrupted(&self, lease: &SessionLease) -> End {
        tokio::select! {
            biased;
            error = lease.lost() => {
                tracing::warn!(%error, "lease lost");
                End::Outcome(Outcome::Fenced)
            }
            () = self.stop.cancelled() => End::Outcome(Outcome::Cancelled),
        }
    }

    /// Finds the stored answer, or makes the options of the session and its workspace.
    async fn prepare(
        &self,
        lease: &SessionLease,
        fence: &Fence,
        asking: &QuestionChannel,
    ) -> Result<Prepared, End> {
        let settings = &self.host.settings;
        self.events.started(fence).await;
        let mut history = self.history(lease, fence).await?;
        if let Some(reply) = history.answer {
            return Ok(Prepared::Answered(reply));
        }
        let made = timeout(OPTIONS, (settings.options)(self.work)).await;
        let options = made.map_err(|_| {
            let text = format!("the options were not made within {} s", OPTIONS.as_secs());
            HostError::new(HostErrorKind::Options, text)
        })?;
        let options =
            options.map_err(|error| HostError::new(HostErrorKind::Options, error.to_string()))?;
        if self.recover_unsent(lease, &options).await? > 0 {
            history = self.history(lease, fence).await?;
            if let Some(reply) = history.answer {
                return Ok(Prepared::Answered(reply));
            }
        }
        if let Some(call) = &history.stale_call {
            asking.deny_stale(call);
        }
        let mut saver = None;
        if let Some(workspace) = &settings.workspace {
            let prepared = in_time(workspace.prepare(self.work, fence)).await?;
            saver = Some(Saver::new(prepared));
        }
        let id = lease.session().session();
        let options = match history.is_new {
            true => options.session_id(id),
            false => options.resume(id),
        };
        let mut options = self.with_session(options).session_lease(lease);
        if let Some(saver) = &saver {
            options = saver.add_to(options);
        }
        Ok(Prepared::Ready(Box::new(Ready {
            options: asking.add_hooks(options, &settings.asked),
            saver,
            spent: history.spent,
            has_stale_call: history.has_stale_call,
        })))
    }

    /// Reads what the store has of the session.
    async fn history(&self, lease: &SessionLease, fence: &Fence) -> Result<History, End> {
        History::read(&*self.host.settings.store, lease, self.work, fence).await
    }

    /// Stores what an earlier session on this machine could not store, as soon as no other process works on it.
    async fn recover_unsent(&self, lease: &SessionLease, options: &Options) -> Result<usize, End> {
        let mut held = HeldSession::new();
        loop {
            match lease.recover_unsent(options).await {
                Ok(stored) => return Ok(stored),
                Err(error) => held.wait(error).await?,
            }
        }
    }

    /// Runs the CLI to the end of the turn; returns when it is dead, and everything up to the result is stored.
    async fn run_turn(
        &self,
        lease: &SessionLease,
        ready: &Ready,
        asking: &mut QuestionChannel,
    ) -> Result<Received<ResultMessage>, End> {
        let save_failed = async {
            match &ready.saver {
                Some(saver) => saver.failed().await,
                None => pending().await,
            }
        };
        let interrupted = async {
            tokio::select! {
                biased;
                end = self.interrupted(lease) => end,
                error = asking.serve(self.events) => {
                    let text = format!("a question could not be stored: {error}");
                    HostError::new(HostErrorKind::Events, text).into()
                }
                error = save_failed => error.into(),
            }
        };
        tokio::pin!(interrupted);
        let mut stream = tokio::select! {
            biased;
            end = &mut interrupted => {
                // The session was dropped, and ends in the background.
                lease.unused().await;
                return self.stopped(lease, ready, end).await;
            }
            opened = self.open(&ready.options) => opened?,
        };
        let control = stream.control().clone();
        let _kill = KillOnDrop(&control);
        let mut last = None;
        let read = async {
            while let Some(message) = stream.next().await {
                let message = message?;
                if let Message::Result(result) = &message
                    && ready.is_answered_by(result)
                {
                    last = Some(result.clone());
                }
                self.events.message(&message).await;
            }
            Ok::<_, inhouse::Error>(())
        };
        let ended = tokio::select! {
            biased;
            end = &mut interrupted => Err(end),
            read = read => Ok(read),
        };
        let failure = match ended {
            Ok(read) => read.err(),
            Err(end) => {
                control.kill().await;
                let failure = drain(&mut stream, &mut last, ready).await;
                match (&end, &failure) {
                    // What was stored decides about an attempt that was only stopped.
                    (End::Outcome(Outcome::Cancelled), Some(error)) if is_of_store(error) => {}
                    (End::Outcome(Outcome::Cancelled), _) if last.is_some() => {}
                    _ => return self.stopped(lease, ready, end).await,
                }
                failure
            }
        };
        if let Some(error) = ready.saver.as_ref().and_then(Saver::take_error) {
            return Err(error.into());
        }
        match (last, failure) {
            // The answer is stored; a later failure of the process does not change it.
            (Some(result), None) => Ok(result),
            (Some(result), Some(error)) if !is_of_store(&error) => {
                tracing::warn!(%error, "CLI failed after its result");
                Ok(result)
            }
            (_, Some(error)) => Err(error.into()),
            (None, None) => {
                let text = "the CLI ended without a result";
                Err(HostError::new(HostErrorKind::Agent, text).into())
            }
        }
    }

    /// Opens the session, as soon as no other process of this machine works on it.
    async fn open(&self, options: &Options) -> Result<MessageStream, End> {
        let mut held = HeldSession::new();
        loop {
            let prompt = Prompt::from(&*self.work.prompt).uuid(self.work.id.to_string());
            let query = query(prompt).options(options.clone());
            let opened = match &self.host.settings.transport {
                Some(transport) => query.transport(transport(self.work)).await,
                None => query.await,
            };
            match opened {
                Ok(stream) => return Ok(stream),
                Err(error) => held.wait(error).await?,
            }
        }
    }

    /// Ends an attempt whose CLI was killed. The workspace of a session that this host still owns is saved for the next attempt.
    async fn stopped<T>(&self, lease: &SessionLease, ready: &Ready, end: End) -> Result<T, End> {
        if matches!(end, End::Outcome(Outcome::Cancelled)) {
            self.save(lease, ready.saver.as_ref()).await?;
        }
        Err(end)
    }

    /// Saves the workspace, unless the lease is lost.
    async fn save(&self, lease: &SessionLease, saver: Option<&Saver>) -> Result<(), End> {
        let Some(saver) = saver else {
            return Ok(());
        };
        tokio::select! {
            biased;
            _ = lease.lost() => Err(End::Outcome(Outcome::Fenced)),
            saved = saver.save() => saved.map_err(Into::into),
        }
    }

    /// Adds the cost of a turn, whose result has the total of the session.
    fn note_cost(&self, result: &ResultMessage, spent: f64) {
        let total = result.total_cost_usd.unwrap_or(spent);
        let cost = if total >= spent { total - spent } else { total };
        self.host.counters.add_cost(cost);
    }
}

/// Acquires a lease. If the attempt is stopped meanwhile, the lease is released as soon as the store has answered: a statement that is under way
/// takes effect, and the session would have no owner until the end of the lease.
async fn acquire_or_release(options: Options, id: String) -> inhouse::Result<SessionLease> {
    let acquire = async move { SessionLease::acquire(&options, id).await };
    // Dropping the handle lets the task go on, and dropping the lease that it returns releases it.
    let acquired = tokio::spawn(acquire.in_current_span()).await;
    acquired.unwrap_or_else(|error| {
        let text = "the runtime was shut down, or the session store panicked";
        Err(inhouse::Error::new(ErrorKind::Store, text).with_source(error))
    })
}

/// Kills the CLI when the attempt is dropped.
struct KillOnDrop<'a>(&'a Control);

impl Drop for KillOnDrop<'_> {
    fn drop(&mut self) {
        // The first poll sends the command. Nothing is left to kill after the end of the session.
        let _ = self.0.kill().now_or_never();
    }
}

/// Reads the rest of a session that has ended.
async fn drain(
    stream: &mut MessageStream,
    last: &mut Option<Received<ResultMessage>>,
    ready: &Ready,
) -> Option<inhouse::Error> {
    while let Some(message) = stream.next().await {
        match message {
            Ok(Message::Result(result)) if ready.is_answered_by(&result) => *last = Some(result),
            Ok(_) => {}
            Err(error) => return Some(error),
        }
    }
    None
}

fn is_of_store(error: &inhouse::Error) -> bool {
    matches!(error.kind(), ErrorKind::Store | ErrorKind::Fenced)
}

fn unavailable_call() -> End {
    let text =
        "a call that waited for an answer cannot be made: its tool is not available on this host";
    HostError::new(HostErrorKind::Agent, text).into()
}

fn deferred_by_another() -> End {
    let text = "a hook of the options deferred a call; let `Host::ask` do that, so that the question is stored";
    HostError::new(HostErrorKind::Options, text).into()
}
