use std::fmt;
use std::sync::Arc;

use inhouse_store::SessionStore;

use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct StoreOptions {
    pub(crate) store: Option<Store>,
    pub(crate) flush: StoreFlush,
}

#[derive(Clone)]
pub(crate) struct Store(pub(crate) Arc<dyn SessionStore>);

/// When the entries of a transcript are sent to a [store](Options::store).
///
/// In both modes a result is delivered only after everything before it is stored. The modes differ in what is stored if the
/// host dies in the middle of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFlush {
    /// As soon as the CLI has written them: a host that dies loses at most what was under way.
    #[default]
    EachFrame,
    /// At the end of a turn, or earlier if there are many of them: fewer writes, but a host that dies loses its turn.
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
    /// use inhouse::Options;
    /// use inhouse::options::StoreFlush;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let options = Options::new().store(MemoryStore::new()).store_flush(StoreFlush::EndOfTurn);
    /// # inhouse_testkit::fake::launch(options);
    /// ```
    pub fn store_flush(mut self, flush: StoreFlush) -> Self {
        self.store.flush = flush;
        self
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionStore")
    }
}
