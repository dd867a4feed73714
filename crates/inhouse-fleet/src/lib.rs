//! Runs the sessions of inhouse agents on many hosts, any of which may fail.
//!
//! Prompts come from a queue, run on any host, survive the death of any host, and are answered once and in order. An *engine*
//! keeps the queue, its order and its retries; this crate has one on PostgreSQL (feature `postgres`, on by default). The part that every engine needs is
//! [`Host::run_turn`]: it runs one prompt of one session safely.
//!
//! ```
//! use inhouse::Options;
//! use inhouse_fleet::{Host, Outcome, SharedVolume, Work};
//! use inhouse_store::memory::MemoryStore;
//! use tokio_util::sync::CancellationToken;
//! # use inhouse_testkit::{FakeCli, run};
//!
//! # let volume = tempfile::tempdir().unwrap();
//! # let volume = volume.path();
//! # run(FakeCli::play_with(async |transport| {
//! let host = Host::new(MemoryStore::new(), async |_: &Work| Ok(Options::new()))
//!     .workspace(SharedVolume::new(volume))
//!     .slots(40);
//! # let transport = std::sync::Mutex::new(Some(transport));
//! # let host = host.transport(move |_| transport.lock().unwrap().take().unwrap());
//!
//! let work = Work::new("customer-42", "Charge 5 dollars");
//! # let work = Work::new(uuid::Uuid::new_v4().to_string(), &*work.prompt); // other processes may run this example
//! match host.run_turn(&work, CancellationToken::new()).await.unwrap() {
//!     Outcome::Done(reply) => assert_eq!(reply.text.as_deref(), Some("Charged.")),
//!     outcome => panic!("{outcome:?}"),
//! }
//! # Ok(()) }, async |mut cli| {
//! #     cli.accept().await;
//! #     cli.expect_prompt().await;
//! #     cli.turn("Charged.").await;
//! # }));
//! ```
//!
//! # What a turn guarantees
//!
//! | event | effect |
//! |---|---|
//! | the same work is run again after it was answered | the stored answer, without a CLI |
//! | the host is killed in the middle of a turn | another host continues the turn; finished calls of tools in the host's process are not repeated, cut-off ones are shown to the model |
//! | the host loses the session (stopped, cut off from the store) | its CLI is killed; its answers, entries, questions and files are rejected: [`Outcome::Fenced`] |
//! | the turn is stopped | the CLI is killed, and is dead when [`Outcome::Cancelled`] is returned; the same work continues later |
//! | a call needs a person ([`Host::ask`]) | the question is stored before the turn ends; nothing runs until it is answered, on any host |
//! | the workspace cannot be saved | the result does not count, and the turn is continued by the next attempt |
//!
//! All of it happens under the lease of the session in its [store](inhouse_store::SessionStore), which one host holds at a time. The working
//! directory of a session and the [root of session directories](inhouse::Options::session_root) must have the same paths on all hosts.
//!
//! # Metrics
//!
//! [`Host::stats`] has the figures of one host. With the feature `opentelemetry` they are also metrics of the meter provider that is global when the
//! host runs its first turn:
//!
//! | metric | meaning |
//! |---|---|
//! | `inhouse.fleet.turns` | attempts by `outcome`: `done`, `deferred`, `cancelled`, `fenced`, `failed` |
//! | `inhouse.fleet.turn.duration` | their duration in seconds, from the delivery to the outcome |
//! | `inhouse.fleet.active` | attempts that have a slot now |
//! | `inhouse.fleet.takeovers` | turns that continue a prompt whose last turn was on another host |
//! | `inhouse.fleet.cost` | cost of the turns in US dollars |
//! | `inhouse.fleet.oldest_prompt.age` | age in seconds of the oldest unanswered prompt that waits neither for a person nor for a time |
//! | `inhouse.fleet.queue.age` | time in seconds for which the session that waits longest for a slot has waited |
//!
//! The last two are those of the queue in PostgreSQL. Every host that serves it reports them with each heartbeat, so take their maximum over the hosts.
//!
//! # Stability
//!
//! This crate is for applications that run more sessions than one machine can, and for authors of engines ([`RunTurn`], [`TurnEvents`]). Everything
//! that its documentation shows follows semantic versioning.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod host;
mod metrics;
mod outcome;
#[cfg(feature = "postgres")]
pub mod postgres;
mod question;
mod retry;
mod work;
mod workspace;

#[doc(hidden)]
pub use self::host::MakeOptions;
pub use self::host::{Host, HostError, HostErrorKind, HostStats, RunTurn, TurnEvents};
pub use self::outcome::{Fence, Outcome, Reply};
#[cfg(feature = "postgres")]
pub use self::postgres::{Fleet, FleetError, FleetErrorKind};
pub use self::question::{Answer, Answers, Question, QuestionId};
pub use self::work::{Work, WorkId};
pub use self::workspace::{
    PreparedWorkspace, SharedVolume, StoreWorkspace, Workspace, WorkspaceError,
};

pub use async_trait::async_trait;
