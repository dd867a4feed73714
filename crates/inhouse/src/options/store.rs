use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use inhouse_store::SessionStore;

use super::Options;
use crate::error::HandlerError;
use crate::sessions::SessionLease;
use crate::user_code::Callback;

#[derive(Clone, Debug, Default)]
pub(crate) struct StoreOptions {
    pub(crate) store: Option<Store>,
    pub(crate) flush: StoreFlush,
    pub(crate) load_timeout: Option<Duration>,
    pub(crate) root: Option<PathBuf>,
    pub(crate) lease_ttl: Option<Duration>,
    pub(crate) lease: Option<SessionLease>,
    pub(crate) before_result: Option<Callback<(), ()>>,
}

#[derive(Clone)]
pub(crate) struct Store(pub(crate) Arc<dyn SessionStore>);

/// The time at which the entries of a transcript are sent to a [store](Options::store).
///
/// In both modes a result is delivered only after everything before it is stored. The modes differ in what is stored if the
/// host dies in the middle of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFlush {
    /// Sends entries as soon as the CLI has written them. A host that dies loses at most the entries that are being sent.
    #[default]
    EachFrame,
    /// Sends entries at the end of a turn, or earlier if there is more than 1 MiB of them. This takes fewer writes, but a
    /// host that dies loses its turn.
    EndOfTurn,
}

/// Options for session stores.
impl Options {
    /// Keeps the transcript of the session in a store, so that any machine can resume it.
    ///
    /// A result is delivered only when the store has everything up to it. While a store is slow or unavailable, tools,
    /// permissions and control requests are not delayed. A store that stays unavailable for a minute ends the session with
    /// [`ErrorKind::Store`](crate::ErrorKind::Store), and a new owner of the session ends it with
    /// [`ErrorKind::Fenced`](crate::ErrorKind::Fenced). Default: no store.
    ///
    /// # Resume
    ///
    /// [`resume`](Self::resume) takes the id of a session of the store, and [`continue_latest`](Self::continue_latest) the newest
    /// session of its working directory. The working directory and the [root of session directories](Self::session_root) must
    /// have the same path on every machine, because transcripts contain both.
    ///
    /// A prompt that may be sent again gets a [uuid](crate::message::Prompt::uuid) from the caller. If it was answered before the
    /// resume, it gets the same result again, without a request to the model. If its turn was cut off, the turn is continued: the
    /// model sees the outcome of every call. Otherwise it is sent.
    ///
    /// In a store with a journal, calls of tools in this process that are not [read-only](crate::tool::Tool::read_only) are recorded
    /// before they run and before they are answered. So no finished call is made again or lost, and
    /// [`Tool::on_interrupted`](crate::tool::Tool::on_interrupted) determines the outcome of a call that was cut off. The guide has a
    /// [table of the guarantees](crate::guide::durability).
    ///
    /// Hosts may have different versions of the CLI: 2.1.197 resumes what 2.1.325 has written, and the other way round, and entries that one of
    /// them does not know stay in the store. Transcripts are no contract of the CLI, so this is checked for these two versions only. CLI 2.1.197
    /// continues a turn that was cut off without showing the model its open calls, so the model may call such a tool again.
    ///
    /// # Erasure and encryption
    ///
    /// [`sessions::erase`](crate::sessions::erase) removes a session completely, and [`sessions::erase_idle`](crate::sessions::erase_idle)
    /// those that were not used for some time. The crate `inhouse-store` has a wrapper that encrypts what a store keeps, with its feature
    /// `encrypt`.
    ///
    /// # Configuration
    ///
    /// The CLI works in a separate directory for each session instead of the usual configuration directory. The login (without its
    /// refresh token), the settings (without plugins) and `.claude.json` are copied there; memory files, agents, commands and
    /// skills of the user are not. On macOS a login in the keychain is not found: set `ANTHROPIC_API_KEY` or
    /// `CLAUDE_CODE_OAUTH_TOKEN`. A transport or a [wrapper](Self::wrap_command) that runs the CLI elsewhere must make the
    /// directory available there under the same path.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().store(MemoryStore::new()));
    /// assert!(cli.has_arg("--session-mirror"));
    /// ```
    pub fn store(mut self, store: impl SessionStore + 'static) -> Self {
        self.store.store = Some(Store(Arc::new(store)));
        self
    }

    /// Sets when entries are sent to the [store](Self::store).
    ///
    /// Default: [`StoreFlush::EachFrame`].
    ///
    /// ```
    /// use inhouse::options::StoreFlush;
    /// use inhouse::{Options, query};
    /// use inhouse_store::memory::MemoryStore;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// # run(FakeCli::play_with(async |transport| {
    /// let options = Options::new().store(MemoryStore::new()).store_flush(StoreFlush::EndOfTurn);
    /// let messages = query("What is 15 + 27?")
    ///     .options(options)
    /// #   .transport(transport)
    ///     .await?;
    /// // The result is delivered when everything before it is stored.
    /// assert_eq!(messages.text().await?, "42");
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    pub fn store_flush(mut self, flush: StoreFlush) -> Self {
        self.store.flush = flush;
        self
    }

    /// Sets how long it may take to load a session from the [store](Self::store).
    ///
    /// Connecting fails with `Timeout` afterwards, and no CLI is started. Default: 60 s.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::sessions::SessionLease;
    /// use inhouse::{ErrorKind, Options};
    /// # use inhouse_store::memory::MemoryStore;
    /// # use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
    ///
    /// # inhouse_testkit::run(async {
    /// # let store = FaultyStore::new(MemoryStore::new());
    /// # store.faults().next(StoreCall::Acquire, Fault::Hang);
    /// // The store does not answer.
    /// let options = Options::new().store(store).load_timeout(Duration::from_secs(10));
    /// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await;
    /// assert_eq!(lease.unwrap_err().kind(), ErrorKind::Timeout);
    /// # });
    /// ```
    pub fn load_timeout(mut self, timeout: Duration) -> Self {
        self.store.load_timeout = Some(timeout);
        self
    }

    /// Sets for how long this host takes the lease of a session, in a [store](Self::store) that has leases.
    ///
    /// The lease is acquired before the session is loaded, renewed every third of this time, and released when the CLI has exited.
    /// Connecting fails with [`Held`](crate::ErrorKind::Held) while another host has it. A host that cannot renew the lease in
    /// time kills the CLI and ends the session with [`Fenced`](crate::ErrorKind::Fenced), without a result. A shorter time lets
    /// another host take over earlier after a crash. Default: 30 s. Stores without leases ignore it: a new owner of the session
    /// then takes over at once.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::sessions::SessionLease;
    /// use inhouse::{ErrorKind, Options};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::run(async {
    /// let id = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";
    /// let options = Options::new().store(MemoryStore::new());
    /// // Too short to be renewed in time.
    /// let too_short = options.clone().lease_ttl(Duration::from_millis(100));
    /// let error = SessionLease::acquire(&too_short, id).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    ///
    /// SessionLease::acquire(&options.lease_ttl(Duration::from_secs(10)), id).await?;
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    pub fn lease_ttl(mut self, ttl: Duration) -> Self {
        self.store.lease_ttl = Some(ttl);
        self
    }

    /// Runs the session under a lease that the caller holds, instead of acquiring one.
    ///
    /// Connecting fails with `Config` if the lease is that of another session than the options name. The lease stays with the caller when
    /// the session has ended; its loss ends the session with [`Fenced`](crate::ErrorKind::Fenced), as that of any other lease. Default: the
    /// session acquires a lease, and releases it.
    ///
    /// ```
    /// use inhouse::sessions::SessionLease;
    /// use inhouse::{Options, query};
    /// use inhouse_store::memory::MemoryStore;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// # run(FakeCli::play_with(async |transport| {
    /// let options = Options::new().store(MemoryStore::new());
    /// let id = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";
    /// let lease = SessionLease::acquire(&options, id).await?;
    /// let messages = query("What is 15 + 27?")
    ///     .options(options.session_id(id).session_lease(&lease))
    /// #   .transport(transport)
    ///     .await?;
    /// assert_eq!(messages.text().await?, "42");
    /// lease.release().await;
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    pub fn session_lease(mut self, lease: &SessionLease) -> Self {
        self.store.lease = Some(lease.clone());
        self
    }

    /// Adds a step that is completed before the result of a turn counts, such as saving the files that the turn has changed.
    ///
    /// It is called when the CLI has ended a turn, also one with an error, and the [store](Self::store) has its transcript. Only when the
    /// step has succeeded the result is stored and delivered. If it fails, or the host dies meanwhile, the prompt has no result: the session ends with
    /// [`Store`](crate::ErrorKind::Store), and a prompt that is sent again after a resume continues its turn. The same holds if the store is down at
    /// the end of the turn: [`recover`](crate::sessions::recover) stores the transcript, without the result. The CLI still runs, and may
    /// run background tasks. The step must set its own deadline. Default: none.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use inhouse::{Options, query};
    /// use inhouse_store::memory::MemoryStore;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// static SAVED: AtomicUsize = AtomicUsize::new(0);
    ///
    /// # run(FakeCli::play_with(async |transport| {
    /// let options = Options::new().store(MemoryStore::new()).before_result(async || {
    ///     SAVED.fetch_add(1, Ordering::SeqCst);
    ///     Ok(())
    /// });
    /// let messages = query("What is 15 + 27?")
    ///     .options(options)
    /// #   .transport(transport)
    ///     .await?;
    /// assert_eq!(messages.text().await?, "42");
    /// assert_eq!(SAVED.load(Ordering::SeqCst), 1);
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    pub fn before_result<H, F>(mut self, step: H) -> Self
    where
        H: FnOnce() -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.store.before_result = Some(Callback::new(move |()| step()));
        self
    }

    /// Sets the directory below which sessions of a [store](Self::store) have their directories.
    ///
    /// The CLI that works on a session uses `<root>/<session id>` as its configuration directory, which is removed when the CLI
    /// has exited and everything is stored. The path must be the same on every machine that resumes the session. The directory
    /// is created if it does not exist; choose one that other users cannot write to. Default: `inhouse-<user id>` in the
    /// temporary directory of the system, which only this user can enter.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_testkit::fake::launch;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let root = directory.path().join("agents");
    /// let cli = launch(Options::new().store(MemoryStore::new()).session_root(&root));
    /// let configuration = cli.env("CLAUDE_CONFIG_DIR").unwrap();
    /// assert!(configuration.starts_with(root.to_str().unwrap()));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn session_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.store.root = Some(root.into());
        self
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionStore")
    }
}
