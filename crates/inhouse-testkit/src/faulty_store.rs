//! A store that fails by a script.

use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use inhouse_store::{
    Append, Bytes, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Intent, Journal,
    JournaledCall, Lease, Leases, Page, Position, ProjectKey, Result, SessionKey, SessionPage,
    SessionStore, StoreError, StoreErrorKind, StreamKey, async_trait,
};

/// A store whose calls fail, hang, are slow or lose their acknowledgement, as [`Faults`] say.
///
/// ```
/// use inhouse_store::memory::MemoryStore;
/// use inhouse_store::{Append, Position, SessionKey, SessionStore, StoreErrorKind};
/// use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse_store::Result<()> {
/// let store = FaultyStore::new(MemoryStore::new());
/// let session = SessionKey::new("project", "session")?;
/// let epoch = store.fence(&session, None).await?;
/// let append = Append::new(epoch, Position::START, ["{}"]);
///
/// store.faults().next(StoreCall::Append, Fault::LoseAcknowledgement);
/// let error = store.append(&session.main(), &append).await.unwrap_err();
/// assert_eq!(error.kind(), StoreErrorKind::Unavailable);
/// store.append(&session.main(), &append).await?; // the retry finds the entry
/// assert_eq!(store.read(&session.main()).await?.len(), 1);
/// assert_eq!(store.faults().calls(StoreCall::Append), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct FaultyStore<S> {
    inner: S,
    faults: Faults,
    has_leases: bool,
}

/// The script of a [`FaultyStore`]; clones share it. Without a fault a call goes to the store inside.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<Script>>);

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The call succeeds, as without a fault. Fills a place in a script.
    None,
    /// The call returns [`Unavailable`](StoreErrorKind::Unavailable) without effect.
    Fail,
    /// The call takes effect and returns [`Unavailable`](StoreErrorKind::Unavailable).
    LoseAcknowledgement,
    /// The call has no effect and never returns.
    Hang,
    /// The call takes effect and never returns.
    HangAfterwards,
    /// The call takes effect after this time, by tokio's clock.
    Delay(Duration),
    /// The call panics without effect.
    Panic,
}

/// The calls that a script names. `End`, `Subpaths` and `List` share one name, and so do the calls of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreCall {
    /// [`SessionStore::fence`] makes an epoch the current one.
    Fence,
    /// [`SessionStore::append`] adds entries to a stream.
    Append,
    /// [`SessionStore::load`] reads entries; a fault applies before the first entry.
    Load,
    /// [`SessionStore::end`], [`SessionStore::subpaths`] and [`SessionStore::list`] read what there is.
    List,
    /// [`SessionStore::put_file`], [`SessionStore::file`] and [`SessionStore::files`] write and read files.
    File,
    /// [`SessionStore::erase`] and [`SessionStore::erase_idle`] remove data; each session of the latter is a call.
    Erase,
    /// [`Leases::acquire`] takes a session.
    Acquire,
    /// [`Leases::renew`] extends a lease.
    Renew,
    /// [`Leases::release`] and [`Leases::holder`] end or read a lease.
    Release,
    /// [`Journal::intend`] records a call.
    Intend,
    /// [`Journal::finish`] records a result.
    Finish,
    /// [`Journal::calls`] reads the journal.
    Calls,
    /// [`Journal::forget`] removes calls of the journal.
    Forget,
}

#[derive(Default)]
struct Script {
    next: HashMap<StoreCall, VecDeque<Fault>>,
    always: HashMap<StoreCall, Fault>,
    calls: HashMap<StoreCall, usize>,
}

impl<S> FaultyStore<S> {
    /// Wraps a store, with an empty script.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            faults: Faults::default(),
            has_leases: true,
        }
    }

    /// Makes it a store without [leases](SessionStore::leases), such as one for objects.
    #[must_use]
    pub fn without_leases(mut self) -> Self {
        self.has_leases = false;
        self
    }

    /// Returns the script, which may be changed at any time.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Returns the store inside, whose calls do not fail.
    pub fn inner(&self) -> &S {
        &self.inner
    }
}

impl Faults {
    /// Adds a fault for one call, after those that were added before.
    pub fn next(&self, call: StoreCall, fault: Fault) -> &Self {
        self.with(|script| script.next.entry(call).or_default().push_back(fault));
        self
    }

    /// Sets the fault of every call for which no single fault is left.
    pub fn always(&self, call: StoreCall, fault: Fault) -> &Self {
        self.with(|script| script.always.insert(call, fault));
        self
    }

    /// Removes all faults. Calls that hang stay so.
    pub fn clear(&self) -> &Self {
        self.with(|script| {
            script.next.clear();
            script.always.clear();
        });
        self
    }

    /// Returns how often a call was made, failed ones included.
    pub fn calls(&self, call: StoreCall) -> usize {
        self.with(|script| script.calls.get(&call).copied().unwrap_or(0))
    }

    async fn apply<T>(&self, call: StoreCall, inner: impl Future<Output = Result<T>>) -> Result<T> {
        match self.take(call) {
            Fault::None => inner.await,
            Fault::Fail => Err(unavailable()),
            Fault::LoseAcknowledgement => {
                inner.await?;
                Err(unavailable())
            }
            Fault::Hang => pending().await,
            Fault::HangAfterwards => {
                inner.await?;
                pending().await
            }
            Fault::Delay(time) => {
                tokio::time::sleep(time).await;
                inner.await
            }
            Fault::Panic => panic!("a fault of the test"),
        }
    }

    fn take(&self, call: StoreCall) -> Fault {
        self.with(|script| {
            *script.calls.entry(call).or_default() += 1;
            let next = script.next.get_mut(&call).and_then(VecDeque::pop_front);
            let fault = next.or_else(|| script.always.get(&call).copied());
            fault.unwrap_or(Fault::None)
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn unavailable() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "a fault of the test")
}

#[async_trait]
impl<S: SessionStore> SessionStore for FaultyStore<S> {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let inner = self.inner.fence(session, epoch);
        self.faults.apply(StoreCall::Fence, inner).await
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        let inner = self.inner.append(stream, append);
        self.faults.apply(StoreCall::Append, inner).await
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let inner = self.inner.end(stream);
        self.faults.apply(StoreCall::List, inner).await
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let faults = self.faults.clone();
        let entries = self.inner.load(stream, from);
        let begin = async move {
            let started = faults.apply(StoreCall::Load, async { Ok(()) }).await;
            match started {
                Ok(()) => entries,
                Err(error) => futures_util::stream::iter([Err(error)]).boxed(),
            }
        };
        futures_util::stream::once(begin).flatten().boxed()
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        let inner = self.inner.subpaths(session);
        self.faults.apply(StoreCall::List, inner).await
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        let inner = self.inner.list(project, page);
        self.faults.apply(StoreCall::List, inner).await
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        let inner = self.inner.put_file(session, epoch, path, content);
        self.faults.apply(StoreCall::File, inner).await
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let inner = self.inner.file(session, path);
        self.faults.apply(StoreCall::File, inner).await
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let inner = self.inner.files(session);
        self.faults.apply(StoreCall::File, inner).await
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        let inner = self.inner.erase(what);
        self.faults.apply(StoreCall::Erase, inner).await
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        let erased = self.inner.erase_idle(idle, project);
        let state = Some((self.faults.clone(), erased));
        let next = async |state: Option<(Faults, ErasedStream)>| {
            let (faults, mut erased) = state?;
            let next = async { erased.next().await.transpose() };
            match faults.apply(StoreCall::Erase, next).await {
                Ok(session) => Some((Ok(session?), Some((faults, erased)))),
                Err(error) => Some((Err(error), None)),
            }
        };
        futures_util::stream::unfold(state, next).boxed()
    }

    fn leases(&self) -> Option<&dyn Leases> {
        let leases = self.inner.leases().filter(|_| self.has_leases);
        leases.map(|_| self as &dyn Leases)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        self.inner.journal().map(|_| self as &dyn Journal)
    }
}

impl<S: SessionStore> FaultyStore<S> {
    fn inner_leases(&self) -> Result<&dyn Leases> {
        let leases = self.inner.leases();
        leases.ok_or_else(|| StoreError::new(StoreErrorKind::Invalid, "the store has no leases"))
    }

    fn inner_journal(&self) -> Result<&dyn Journal> {
        let journal = self.inner.journal();
        journal.ok_or_else(|| StoreError::new(StoreErrorKind::Invalid, "the store has no journal"))
    }
}

#[async_trait]
impl<S: SessionStore> Leases for FaultyStore<S> {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        let inner = self.inner_leases()?.acquire(session, owner, ttl);
        self.faults.apply(StoreCall::Acquire, inner).await
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        let inner = self.inner_leases()?.renew(lease, ttl);
        self.faults.apply(StoreCall::Renew, inner).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        let inner = self.inner_leases()?.release(lease);
        self.faults.apply(StoreCall::Release, inner).await
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        let inner = self.inner_leases()?.holder(session);
        self.faults.apply(StoreCall::Release, inner).await
    }
}

#[async_trait]
impl<S: SessionStore> Journal for FaultyStore<S> {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        let inner = self.inner_journal()?.intend(session, epoch, intent);
        self.faults.apply(StoreCall::Intend, inner).await
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        let inner = self.inner_journal()?.finish(session, epoch, call, result);
        self.faults.apply(StoreCall::Finish, inner).await
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        let inner = self.inner_journal()?.calls(session);
        self.faults.apply(StoreCall::Calls, inner).await
    }

    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()> {
        let inner = self.inner_journal()?.forget(session, epoch, calls);
        self.faults.apply(StoreCall::Forget, inner).await
    }
}
