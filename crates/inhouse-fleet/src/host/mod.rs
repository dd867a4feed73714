//! Running one prompt of one session on this host.
//!
//! | file | what it holds |
//! |---|---|
//! | `attempt` | one attempt at a work item, from the lease to the outcome |
//! | `ask` | the hook that turns tool calls into questions |
//! | `end` | why an attempt ends early |
//! | `history` | what the store has of the session |
//! | `held` | waiting for a session that another owner has |
//! | `save` | when the workspace is saved |
//! | `options` | the closure that makes the options of a work item |
//! | `transport` | how the CLI is reached |
//! | `stats` | what a host has done so far |
//! | `events` | what an engine brings |

mod ask;
mod attempt;
mod end;
mod error;
mod events;
mod held;
mod history;
mod options;
mod save;
mod stats;
mod transport;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use inhouse::hook::{Matcher, PreToolUse};
use inhouse::transport::Transport;
use inhouse_store::SessionStore;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use self::attempt::Attempt;
#[cfg(feature = "postgres")]
pub(crate) use self::error::is_unavailable;
pub use self::error::{HostError, HostErrorKind};
pub use self::events::{RunTurn, TurnEvents};
#[doc(hidden)]
pub use self::options::MakeOptions;
use self::options::OptionsFn;
use self::stats::Counters;
pub use self::stats::HostStats;
use self::transport::TransportFn;
use crate::workspace::Workspace;
use crate::{Answers, Outcome, Work};

/// The project of the sessions of a fleet in their store, unless set.
const PROJECT: &str = "inhouse-fleet";

/// How many turns run at the same time, unless set.
const SLOTS: usize = 8;

/// How long a lease is taken for, unless set.
const LEASE_TTL: Duration = Duration::from_secs(30);

/// Runs prompts of sessions on this machine, one turn of the CLI for each [`Work`].
///
/// A host is given to an engine, which delivers the prompts, such as `Fleet::serve`. It can also be used alone:
///
/// ```
/// use inhouse::Options;
/// use inhouse_fleet::{Host, Outcome, Work};
/// use inhouse_store::memory::MemoryStore;
/// use tokio_util::sync::CancellationToken;
/// # use inhouse_testkit::{FakeCli, run};
///
/// # run(FakeCli::play_with(async |transport| {
/// let host = Host::new(MemoryStore::new(), async |work: &Work| {
///     Ok(Options::new().title(format!("Work for {}", work.tenant)))
/// });
/// # let transport = std::sync::Mutex::new(Some(transport));
/// # let host = host.transport(move |_| transport.lock().unwrap().take().unwrap());
/// let work = Work::new("customer-42", "What is 15 + 27?");
/// # let work = Work::new(uuid::Uuid::new_v4().to_string(), &*work.prompt); // other processes may run this example
/// let Ok(Outcome::Done(reply)) = host.run_turn(&work, CancellationToken::new()).await else { panic!() };
/// assert_eq!(reply.text.as_deref(), Some("42"));
/// # Ok(()) }, async |mut cli| {
/// #     cli.accept().await;
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// # }));
/// ```
///
/// Clones are the same host: they share the slots and the statistics.
#[derive(Clone)]
pub struct Host {
    settings: Arc<Settings>,
    slots: Arc<Semaphore>,
    counters: Arc<Counters>,
}

/// The settings of a host.
#[derive(Clone)]
struct Settings {
    store: Arc<dyn SessionStore>,
    options: Arc<OptionsFn>,
    workspace: Option<Arc<dyn Workspace>>,
    asked: Vec<Matcher<PreToolUse>>,
    transport: Option<Arc<TransportFn>>,
    project: String,
    lease_ttl: Duration,
    slots: usize,
}

impl Host {
    /// Creates a host for the sessions of a store, which must have [leases](SessionStore::leases).
    ///
    /// `options` makes the options of each work item. It is called once the host owns the session, and may fail: the attempt then ends with
    /// [`HostErrorKind::Options`]. The host sets the store, the lease, the session, and the working directory if it has a
    /// [workspace](Self::workspace); everything else is up to the closure.
    #[must_use]
    pub fn new<S, F>(store: S, options: F) -> Self
    where
        S: SessionStore + 'static,
        F: for<'a> MakeOptions<'a> + Clone + Send + Sync + 'static,
    {
        Self {
            settings: Arc::new(Settings {
                store: Arc::new(store),
                options: options::boxed(options),
                workspace: None,
                asked: Vec::new(),
                transport: None,
                project: PROJECT.to_owned(),
                lease_ttl: LEASE_TTL,
                slots: SLOTS,
            }),
            slots: Arc::new(Semaphore::new(SLOTS)),
            counters: Arc::default(),
        }
    }

    /// Sets the working directories of the sessions; those of the options unless set.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, SharedVolume, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()))
    ///     .workspace(SharedVolume::new("/srv/agents"));
    /// # let _ = host;
    /// ```
    #[must_use]
    pub fn workspace(self, workspace: impl Workspace + 'static) -> Self {
        self.with(|settings| settings.workspace = Some(Arc::new(workspace)))
    }

    /// Makes a question of each call that matches: the call waits, without a process, until a person has answered it.
    ///
    /// The question is stored by the engine ([`TurnEvents::question`]) before the turn ends with [`Outcome::Deferred`]. Of several matchers, one
    /// has to match. Default: no call is a question.
    ///
    /// A call of a subagent that matches is denied, and the subagent reads that the main agent has to make it: if such a
    /// call is deferred, the CLI ends the subagent and forgets the call (2.1.325).
    ///
    /// One call waits at a time: of parallel calls, the first becomes a question, and the model reads that it has to make the others again afterwards. An answer
    /// replaces the permission handler of the options, so `AskUserQuestion` is answered with [`Question::answered_with`](crate::Question::answered_with);
    /// the CLI offers that tool only if the options have a handler for questions. Needs a CLI that resumes sessions with hooks (2.1.325 does,
    /// 2.1.197 does not).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::hook::Matcher;
    /// use inhouse_fleet::{Host, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()))
    ///     .ask(Matcher::tool("mcp__bank__*"))
    ///     .ask(Matcher::tool("AskUserQuestion"));
    /// # let _ = host;
    /// ```
    #[must_use]
    pub fn ask(self, calls: Matcher<PreToolUse>) -> Self {
        self.with(|settings| settings.asked.push(calls))
    }

    /// Sets how many turns run at the same time; 8 unless set. Each takes a CLI of about 180 MB.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, RunTurn, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new())).slots(40);
    /// assert_eq!(RunTurn::slots(&host), 40);
    /// ```
    #[must_use]
    pub fn slots(mut self, slots: usize) -> Self {
        self.slots = Arc::new(Semaphore::new(slots));
        self.with(|settings| settings.slots = slots)
    }

    /// Sets for how long the lease of a session is taken and renewed; 30 s unless set.
    ///
    /// Another host takes over that long after this one has died. See [`Options::lease_ttl`](inhouse::Options::lease_ttl).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()))
    ///     .lease_ttl(Duration::from_secs(10));
    /// # let _ = host;
    /// ```
    #[must_use]
    pub fn lease_ttl(self, ttl: Duration) -> Self {
        self.with(|settings| settings.lease_ttl = ttl)
    }

    /// Sets the project of the sessions in the store; `inhouse-fleet` unless set.
    ///
    /// All hosts of a fleet have the same one. It replaces the project that the CLI would derive from the working directory; letters, digits,
    /// `-` and `_` are allowed, at most 64 of them.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new())).project("staging");
    /// # let _ = host;
    /// ```
    #[must_use]
    pub fn project(self, project: impl Into<String>) -> Self {
        self.with(|settings| settings.project = project.into())
    }

    /// Sets how the CLI is reached, by a transport for each work item; a child process unless set.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, Work};
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_testkit::FakeCli;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()))
    ///     .transport(|_: &Work| FakeCli::new().0);
    /// # let _ = host;
    /// ```
    #[must_use]
    pub fn transport<T: Transport>(
        self,
        open: impl Fn(&Work) -> T + Send + Sync + 'static,
    ) -> Self {
        self.with(|settings| settings.transport = Some(transport::boxed(open)))
    }

    /// Runs one attempt at a work item, for engines that need neither messages nor questions; see [`run_turn_with`](Self::run_turn_with).
    ///
    /// With [`ask`](Self::ask), a call that matches ends the turn with [`Outcome::Deferred`]; pass [`Answers`] to
    /// [`run_turn_with`](Self::run_turn_with) to continue it.
    ///
    /// # Errors
    /// Fails as [`run_turn_with`](Self::run_turn_with) does.
    ///
    /// # Cancellation
    /// Dropping the future kills the CLI at once.
    pub async fn run_turn(
        &self,
        work: &Work,
        stop: CancellationToken,
    ) -> Result<Outcome, HostError> {
        self.run_turn_with(work, stop, &Answers::default()).await
    }

    /// Runs one attempt at a work item.
    ///
    /// Takes a slot and the lease of the session, and waits for both: another host that owns the session is waited for as long as it lives, and
    /// that is no attempt. A work item that is answered already gets its stored answer, without a CLI. Otherwise the turn begins, or continues
    /// where an earlier attempt was cut off.
    ///
    /// When this returns, the CLI is dead, the transcript is stored, the workspace is saved, and the lease is released. Cancelling `stop` kills
    /// the CLI; the outcome is then [`Outcome::Cancelled`], or [`Outcome::Done`] if the turn had ended just before.
    ///
    /// # Errors
    /// A [`HostError`] says what failed, and [whether the attempt counts](HostError::counts). The same work can be run again.
    ///
    /// # Cancellation
    /// Dropping the future kills the CLI at once. The lease is released in the background when the CLI is dead.
    pub async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        let span = tracing::info_span!(
            "fleet_turn",
            work = %work.id,
            session = work.session,
            attempt = work.attempt,
        );
        let attempt = Attempt {
            host: self,
            work,
            stop: &stop,
            events,
        };
        attempt.run().instrument(span).await
    }

    /// Returns what this host has done so far, and does now.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_fleet::{Host, Work};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()));
    /// assert_eq!(host.stats().active, 0);
    /// ```
    #[must_use]
    pub fn stats(&self) -> HostStats {
        self.counters.stats()
    }

    /// Changes the settings; those of clones that were made before stay.
    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

#[async_trait]
impl RunTurn for Host {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        Host::run_turn_with(self, work, stop, events).await
    }

    fn slots(&self) -> usize {
        self.settings.slots
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("project", &self.settings.project)
            .field("slots", &self.settings.slots)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
