//! Sessions of a [store](inhouse_store::SessionStore): where the CLI works on them, and how they are resumed.
//!
//! With a store, the CLI gets a separate configuration directory for each session. Its path is the same on every machine,
//! because transcripts contain it. To resume a session, its transcript and files are written to this directory before the CLI
//! starts. The directory is removed when the CLI has exited and everything is stored.
//!
//! | file | what it holds |
//! |---|---|
//! | `directory` | the directory of a session, and the lock that keeps other processes out |
//! | `config` | the files that are copied from the usual configuration directory |
//! | `lease` | the lease of a session, and its renewal |
//! | `load` | loading from the store into the directory |
//! | `choose` | which session the options mean |
//! | `erase` | erasure from the store and from this machine |
//! | `prompts` | prompts that the transcript contains already, and their results |

mod choose;
mod config;
mod directory;
mod erase;
mod lease;
mod load;
mod prompts;
mod renewal;

use std::collections::HashMap;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::session::TranscriptEnds;
use inhouse_store::{Position, SessionKey, SessionStore, StoreError, StoreErrorKind, StreamKey};
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use self::choose::{Chosen, choose, working_directory};
use self::config::ConfigHome;
use self::directory::SessionDirectory;
pub(crate) use self::erase::{erase, erase_idle};
pub use self::lease::SessionLease;
use self::lease::{LEASE_TTL, LeasedSession};
pub(crate) use self::lease::{held, release};
use self::load::{Loaded, Loader, ends_of};
pub(crate) use self::prompts::{
    AnsweredPrompts, IdentifiedEntry, PromptState, ResultRecord, StoredPrompts, results_of,
};
pub(crate) use self::renewal::LeaseEnd;
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::{CallJournal, InterruptedCalls};
use crate::launch::HostEnvironment;
use crate::mcp::Bridge;
use crate::mirror::{Mirror, SessionEpochs};
use crate::options::{Options, StoreOptions};

/// How long loading a session may take by default.
const LOAD_TIMEOUT: Duration = Duration::from_secs(60);

/// A session of a store that is about to run, or runs.
pub(crate) struct StoredSession {
    store: Arc<dyn SessionStore>,
    /// `None` once the mirror has them.
    streams: Option<KnownStreams>,
    pub(crate) prompts: Arc<StoredPrompts>,
    /// `None` if the store has no journal.
    journal: Option<Arc<CallJournal>>,
    directory: SessionDirectory,
    /// `None` if the store has no leases.
    lease: Option<LeasedSession>,
}

/// The state of the streams of a session in the store when it starts.
pub(crate) struct KnownStreams {
    /// The session that the CLI works on.
    pub(crate) session: SessionKey,
    pub(crate) epochs: Arc<SessionEpochs>,
    /// The ends of the streams that were loaded.
    pub(crate) ends: HashMap<StreamKey, Position>,
    /// Both ends of the main transcript that was loaded.
    pub(crate) transcript: TranscriptEnds,
    /// The last entry with an id of the main stream that was loaded.
    pub(crate) last_entry: Option<IdentifiedEntry>,
    /// Whether the files on disk were loaded from this session.
    pub(crate) has_stored_files: bool,
}

impl StoredSession {
    /// Prepares the directory of a session, and changes the options so that the CLI works there.
    ///
    /// # Errors
    /// `SessionNotFound` if the store does not have the session; `Held` if another process works on it; `Timeout` or `Store` if the
    /// store does not return it.
    pub(crate) async fn prepare(
        store: Arc<dyn SessionStore>,
        options: &mut Options,
    ) -> Result<Self> {
        let limit = options.store.load_timeout.unwrap_or(LOAD_TIMEOUT);
        let prepared = timeout(limit, Self::load(store, options)).await;
        prepared.unwrap_or_else(|_| {
            let text =
                "the session was not loaded from its store in time; see Options::load_timeout";
            // The cause, for hosts that treat an unavailable store otherwise than a CLI that does not answer.
            let silent = StoreError::new(StoreErrorKind::Unavailable, "no answer in time");
            Err(Error::new(ErrorKind::Timeout, text).with_source(silent))
        })
    }

    async fn load(store: Arc<dyn SessionStore>, options: &mut Options) -> Result<Self> {
        let host = HostEnvironment::current();
        let Chosen {
            mut session,
            mut resumed,
        } = choose(&*store, options, &host).await?;
        let config = ConfigHome::find(options, &host);
        let (root, owner) = (options.store.root.clone(), options.process.user);
        let id = session.session().to_owned();
        let created = spawn_blocking(move || {
            let directory = SessionDirectory::create(root, &id, owner)?;
            config.copy_to(directory.path())?;
            Ok::<_, Error>(directory)
        });
        let directory = created.await.unwrap_or_else(|error| {
            let text = "the directory of the session cannot be created";
            Err(Error::new(ErrorKind::Store, text).with_source(error))
        })?;

        let lease = lease_of(&store, options, &session).await?;
        if options.session.id.is_some() && resumed.as_ref() != Some(&session) {
            // Another host may have run the session while this one waited for the lease.
            Chosen { session, resumed } = choose(&*store, options, &host).await?;
        }
        let mut epoch = lease.as_ref().map(LeasedSession::epoch);
        let stored = resumed.as_ref().unwrap_or(&session).clone();
        let mut prompts = StoredPrompts::new(Arc::clone(&store), session.clone(), stored);
        let mut loaded = Loaded::default();
        let mut repaired = Vec::new();
        if let Some(resumed) = &resumed {
            let is_fork = *resumed != session;
            let mut loader = Loader::new(&*store, resumed, directory.path());
            if is_fork {
                loader.relocate_to(&session);
            } else if epoch.is_none() {
                // Before the load: an owner that still runs must not append behind what is loaded.
                epoch = Some(loader.fence().await?);
            }
            let servers = &options.mcp.servers.in_process;
            let calls = InterruptedCalls::read(&*store, resumed, servers).await?;
            let calls_of_session = calls.ids();
            let cwd = working_directory(options)?;
            loaded = loader.load(calls, epoch.filter(|_| !is_fork), &cwd).await?;
            prompts.set_known(mem::take(&mut loaded.prompts));
            if let (Some(end), Some(last)) =
                (loaded.ends.get(&results_of(resumed)), loaded.last_message)
            {
                let deferred = prompts.deferred(*end, last).await?;
                prompts.continue_at_start(deferred);
            }
            if is_fork {
                // The transcript of the fork is stored with its first append.
                loaded = Loaded {
                    last_message: loaded.last_message,
                    ends: ends_of(&*store, &session).await?,
                    ..Loaded::default()
                };
            } else {
                repaired = calls_of_session;
            }
        } else if options.session.id.is_some() {
            // A host that died may have stored results, or transcripts of subagents, but not the main transcript.
            loaded.ends = ends_of(&*store, &session).await?;
        }
        let has_stored_files = resumed.as_ref() == Some(&session);
        // The CLI cannot resume a session without a message, which begins behind the entries that are there.
        let resumed = resumed.filter(|_| loaded.last_message.is_some());
        let epochs = Arc::new(SessionEpochs::new(Arc::clone(&store), &session, epoch));
        let lease_end = lease.as_ref().map(LeasedSession::end).unwrap_or_default();
        let journal = CallJournal::new(&store, &epochs, &session, repaired, lease_end);
        let streams = KnownStreams {
            session: session.clone(),
            epochs,
            ends: loaded.ends,
            transcript: loaded.transcript,
            last_entry: loaded.last_entry,
            has_stored_files,
        };
        let directory = give_to_owner(directory).await?;
        set_session(options, &session, resumed.as_ref(), directory.path());
        Ok(Self {
            store,
            streams: Some(streams),
            prompts: Arc::new(prompts),
            journal,
            directory,
            lease,
        })
    }

    /// Returns why this host may not work on the session any longer; `None` while it may.
    pub(crate) fn lease_loss(&self) -> Option<Error> {
        self.lease.as_ref()?.end().loss()
    }

    /// Returns the journal of calls; `None` if the store has no journal.
    pub(crate) fn journal(&self) -> Option<Arc<CallJournal>> {
        self.journal.clone()
    }

    /// Starts the mirror of the session, and reports the renewals of its lease to the driver. Called once.
    pub(crate) fn mirror(
        &mut self,
        options: &StoreOptions,
        commands: WeakUnboundedSender<Command>,
        bridge: &Arc<Bridge>,
    ) -> Mirror {
        if let Some(lease) = &self.lease {
            lease.report_to(commands.clone());
        }
        if let Some(journal) = &self.journal {
            journal.start(commands.clone(), Arc::clone(bridge));
        }
        let streams = self.streams.take().expect("a session has one mirror");
        let (store, directory) = (Arc::clone(&self.store), self.directory.path().to_owned());
        let (flush, before_result) = (options.flush, options.before_result.clone());
        let journal = self.journal.clone();
        Mirror::spawn(
            store,
            streams,
            directory,
            flush,
            before_result,
            journal,
            commands,
        )
    }

    /// Removes the directory of a session whose CLI has exited, unless it has entries that are not stored, and ends the use of the lease.
    pub(crate) async fn finish(self, is_stored: bool) {
        if let Some(journal) = self.journal {
            journal.finish(is_stored).await;
        }
        let directory = self.directory;
        let removed = spawn_blocking(move || drop(directory));
        if let Err(error) = removed.await {
            tracing::warn!(%error, "session directory not removed");
        }
        if let Some(lease) = self.lease {
            lease.finish().await;
        }
    }
}

/// Returns the lease of the options, or acquires one; `None` if the store has no leases.
async fn lease_of(
    store: &Arc<dyn SessionStore>,
    options: &Options,
    session: &SessionKey,
) -> Result<Option<LeasedSession>> {
    let Some(lease) = &options.store.lease else {
        let ttl = options.store.lease_ttl.unwrap_or(LEASE_TTL);
        let lease = SessionLease::acquire_key(store, session, ttl).await?;
        return Ok(lease.map(|lease| lease.used(true)));
    };
    if lease.session() != session {
        let text = format!(
            "`session_lease` is that of session {}, but the options name session {session}",
            lease.session()
        );
        return Err(Error::config(text));
    }
    Ok(Some(lease.clone().used(false)))
}

async fn give_to_owner(directory: SessionDirectory) -> Result<SessionDirectory> {
    let given = spawn_blocking(move || directory.give_to_owner().map(|()| directory)).await;
    given.unwrap_or_else(|error| {
        let text = "the directory of the session cannot be given to its user";
        Err(Error::new(ErrorKind::Store, text).with_source(error))
    })
}

/// Names the session and its directory in the options, in the way that the CLI needs.
fn set_session(
    options: &mut Options,
    session: &SessionKey,
    resumed: Option<&SessionKey>,
    directory: &Path,
) {
    let is_new_id = resumed != Some(session);
    options.session.continue_latest = false;
    options.session.fork &= resumed.is_some();
    options.session.resume = resumed.map(|resumed| resumed.session().to_owned());
    options.session.id = is_new_id.then(|| session.session().to_owned());
    options
        .environment
        .override_with("CLAUDE_CONFIG_DIR", directory);
}

/// Returns the error of a session whose store failed.
pub(crate) fn store_error(error: StoreError) -> Error {
    use inhouse_store::StoreErrorKind;
    let kind = match error.kind() {
        StoreErrorKind::Fenced => ErrorKind::Fenced,
        StoreErrorKind::Held => ErrorKind::Held,
        _ => ErrorKind::Store,
    };
    Error::new(kind, "the session store failed").with_source(error)
}
