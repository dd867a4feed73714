//! A store in the memory of the process, for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream;

use crate::{
    Append, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Intent, Journal,
    JournaledCall, Lease, Leases, Page, PageToken, Position, ProjectKey, Result, SessionInfo,
    SessionKey, SessionPage, SessionStore, StoreError, StoreErrorKind, StreamKey,
};

/// A store in memory, with leases and a journal.
///
/// Clones share their data, which ends with the last clone.
///
/// ```
/// use inhouse_store::memory::MemoryStore;
/// use inhouse_store::{Append, Page, Position, SessionKey, SessionStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse_store::Result<()> {
/// let store = MemoryStore::new();
/// let session = SessionKey::new("project", "session")?;
/// let epoch = store.fence(&session, None).await?;
/// let append = Append::new(epoch, Position::START, ["{}"]).summary("a title");
/// store.append(&session.main(), &append).await?;
///
/// let page = store.list(session.project(), &Page::first()).await?;
/// assert_eq!(page.sessions[0].summary.as_deref(), Some(&b"a title"[..]));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The greatest epoch of all sessions, so that epochs also grow over an erasure.
    last_epoch: u64,
    last_time: Option<SystemTime>,
    sessions: BTreeMap<SessionKey, Session>,
}

struct Session {
    epoch: Epoch,
    holder: Option<(String, SystemTime)>,
    main: Entries,
    modified: SystemTime,
    summary: Option<Bytes>,
    subpaths: BTreeMap<StreamKey, Entries>,
    files: BTreeMap<FilePath, Bytes>,
    journal: Vec<JournaledCall>,
}

/// The entries of a stream with the epochs that wrote them, shared with readers.
type Entries = Arc<Vec<(Epoch, Bytes)>>;

impl MemoryStore {
    /// Creates an empty store.
    ///
    /// ```
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// let session = SessionKey::new("project", "session")?;
    /// assert!(MemoryStore::new().read(&session.main()).await?.is_empty());
    /// # Ok(()) }
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let mut state = self.state();
        let current = state.sessions.get(session).map(|session| session.epoch);
        match (current, epoch) {
            (Some(current), Some(epoch)) if current == epoch => Ok(epoch),
            (Some(current), Some(epoch)) if current > epoch => {
                Err(StoreError::fenced(session, epoch))
            }
            _ => Ok(state.own(session, epoch, None)),
        }
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        let mut state = self.state();
        let now = state.now();
        let session = state.held(stream.session(), append.epoch)?;
        let stored = session.stream(stream).map_or(&[][..], |entries| entries);
        let end = Position::new(stored.len() as u64);
        if append.position > end {
            return Err(StoreError::gap(append.position, end));
        }
        let skipped = &stored[append.position.get() as usize..];
        let skipped = &skipped[..skipped.len().min(append.entries.len())];
        if skipped.iter().any(|(epoch, _)| *epoch != append.epoch) {
            return Err(StoreError::conflict(append.position));
        }
        let new = &append.entries[skipped.len()..];
        if new.is_empty() {
            return Ok(end);
        }
        if stream.is_main() {
            session.modified = now;
            if append.summary.is_some() {
                session.summary.clone_from(&append.summary);
            }
        }
        let entries = match stream.is_main() {
            true => &mut session.main,
            false => session.subpaths.entry(stream.clone()).or_default(),
        };
        let entries = Arc::make_mut(entries);
        entries.extend(new.iter().map(|entry| (append.epoch, entry.clone())));
        Ok(Position::new(entries.len() as u64))
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let state = self.state();
        let session = state.sessions.get(stream.session());
        let entries = session.and_then(|session| session.stream(stream));
        Ok(Position::new(
            entries.map_or(0, |entries| entries.len() as u64),
        ))
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let state = self.state();
        let session = state.sessions.get(stream.session());
        let entries = session.and_then(|session| session.stream(stream));
        let entries = entries.cloned().unwrap_or_default();
        let mut next = usize::try_from(from.get()).unwrap_or(usize::MAX);
        Box::pin(stream::iter(std::iter::from_fn(move || {
            let (_, entry) = entries.get(next)?;
            next += 1;
            Some(Ok(entry.clone()))
        })))
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        let state = self.state();
        let session = state.sessions.get(session);
        let subpaths = session.map(|session| session.subpaths.keys().cloned().collect());
        Ok(subpaths.unwrap_or_default())
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        let skip = match &page.after {
            None => None,
            Some(token) => Some(parse_token(token)?),
        };
        let state = self.state();
        let mut sessions: Vec<SessionInfo> = state
            .sessions
            .iter()
            .filter(|(key, session)| key.project() == project && !session.main.is_empty())
            .map(|(key, session)| {
                let end = Position::new(session.main.len() as u64);
                SessionInfo::new(key.clone(), session.modified, end)
                    .summary(session.summary.clone())
            })
            .filter(|session| skip.is_none_or(|skip| session.modified < skip))
            .collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.modified));
        let limit = page.limit.max(1);
        let next = (sessions.len() > limit).then(|| token(sessions[limit - 1].modified));
        sessions.truncate(limit);
        Ok(SessionPage::new(sessions, next))
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        let mut state = self.state();
        let session = state.held(session, epoch)?;
        session.files.insert(path.clone(), content);
        Ok(())
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let state = self.state();
        let session = state.sessions.get(session);
        Ok(session.and_then(|session| session.files.get(path).cloned()))
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let state = self.state();
        let files = state.sessions.get(session).into_iter();
        let files = files.flat_map(|session| &session.files);
        Ok(files
            .map(|(path, content)| FileInfo::new(path.clone(), content.len() as u64))
            .collect())
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        let mut state = self.state();
        match what {
            Erase::Stream(stream) if !stream.is_main() => {
                if let Some(session) = state.sessions.get_mut(stream.session()) {
                    session.subpaths.remove(stream);
                }
            }
            Erase::Stream(stream) => drop(state.sessions.remove(stream.session())),
            Erase::Session(session) => drop(state.sessions.remove(session)),
            Erase::Project(project) => state.sessions.retain(|key, _| key.project() != project),
        }
        Ok(())
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        let (store, project) = (self.clone(), project.cloned());
        let mut since = None;
        let erased = std::iter::from_fn(move || {
            let mut state = store.state();
            let now = state.now();
            let since = *since.get_or_insert_with(|| now.checked_sub(idle));
            let is_idle = |key: &SessionKey, session: &Session| {
                let is_leased = session.holder.as_ref().is_some_and(|(_, end)| *end > now);
                let is_named = project
                    .as_ref()
                    .is_none_or(|project| key.project() == project);
                is_named && !is_leased && since.is_some_and(|since| session.modified <= since)
            };
            let mut sessions = state.sessions.iter();
            let (key, _) = sessions.find(|(key, session)| is_idle(key, session))?;
            let key = key.clone();
            state.sessions.remove(&key);
            Some(Ok(key))
        });
        Box::pin(stream::iter(erased))
    }

    fn leases(&self) -> Option<&dyn Leases> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

#[async_trait]
impl Leases for MemoryStore {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        let mut state = self.state();
        let now = state.now();
        let holder = state.sessions.get(session);
        if let Some((other, until)) = holder.and_then(|session| session.holder.as_ref())
            && other != owner
            && *until > now
        {
            let message = format!("{other} holds the lease of session {session}");
            return Err(StoreError::new(StoreErrorKind::Held, message));
        }
        let until = now + ttl;
        let epoch = state.own(session, None, Some((owner.to_owned(), until)));
        Ok(Lease::new(session.clone(), owner, epoch, until))
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        let mut state = self.state();
        let new_end = state.now() + ttl;
        let session = state.held(&lease.session, lease.epoch)?;
        let Some((_, end)) = &mut session.holder else {
            return Err(StoreError::fenced(&lease.session, lease.epoch));
        };
        *end = new_end;
        let mut lease = lease.clone();
        lease.until = new_end;
        Ok(lease)
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        let mut state = self.state();
        if let Ok(session) = state.held(&lease.session, lease.epoch) {
            session.holder = None;
        }
        Ok(())
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        let state = self.state();
        let stored = state.sessions.get(session);
        let lease = stored.and_then(|stored| Some((stored.epoch, stored.holder.as_ref()?)));
        Ok(lease.map(|(epoch, (owner, until))| Lease::new(session.clone(), owner, epoch, *until)))
    }
}

#[async_trait]
impl Journal for MemoryStore {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        let mut state = self.state();
        let journal = &mut state.held(session, epoch)?.journal;
        let Some(call) = journal
            .iter_mut()
            .find(|call| call.intent.call == intent.call)
        else {
            journal.push(JournaledCall::new(intent.clone(), epoch, None));
            return Ok(None);
        };
        if call.is_open() {
            call.epoch = epoch;
        }
        Ok(call.result.clone())
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        let mut state = self.state();
        let mut journal = state.held(session, epoch)?.journal.iter_mut();
        let Some(journaled) = journal.find(|journaled| journaled.intent.call == call) else {
            let message = format!("session {session} has no call {call}");
            return Err(StoreError::new(StoreErrorKind::NotFound, message));
        };
        journaled.result.get_or_insert(result);
        Ok(())
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        let state = self.state();
        let session = state.sessions.get(session);
        Ok(session.map_or_else(Vec::new, |session| session.journal.clone()))
    }

    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()> {
        let mut state = self.state();
        let journal = &mut state.held(session, epoch)?.journal;
        journal.retain(|journaled| !calls.contains(&journaled.intent.call));
        Ok(())
    }
}

impl State {
    /// Returns a time later than all before, so that it orders sessions.
    fn now(&mut self) -> SystemTime {
        let now = SystemTime::now();
        let now = self
            .last_time
            .map_or(now, |last| now.max(last + Duration::from_micros(1)));
        self.last_time = Some(now);
        now
    }

    /// Returns the session if `epoch` is its current one.
    fn held(&mut self, key: &SessionKey, epoch: Epoch) -> Result<&mut Session> {
        let session = self.sessions.get_mut(key);
        session
            .filter(|session| session.epoch == epoch)
            .ok_or_else(|| StoreError::fenced(key, epoch))
    }

    /// Gives the session a new owner.
    fn own(
        &mut self,
        key: &SessionKey,
        epoch: Option<Epoch>,
        holder: Option<(String, SystemTime)>,
    ) -> Epoch {
        let epoch = epoch.unwrap_or(Epoch::new(self.last_epoch + 1));
        self.last_epoch = self.last_epoch.max(epoch.get());
        let modified = self.now();
        let session = self.sessions.entry(key.clone()).or_insert_with(|| Session {
            epoch,
            holder: None,
            main: Entries::default(),
            modified,
            summary: None,
            subpaths: BTreeMap::new(),
            files: BTreeMap::new(),
            journal: Vec::new(),
        });
        (session.epoch, session.holder) = (epoch, holder);
        epoch
    }
}

impl Session {
    fn stream(&self, key: &StreamKey) -> Option<&Entries> {
        match key.is_main() {
            true => Some(&self.main),
            false => self.subpaths.get(key),
        }
    }
}

fn token(modified: SystemTime) -> PageToken {
    let since = modified.duration_since(SystemTime::UNIX_EPOCH);
    PageToken::new(since.unwrap_or_default().as_nanos().to_string())
}

fn parse_token(token: &PageToken) -> Result<SystemTime> {
    let nanoseconds = token.as_str().parse().ok();
    let time = nanoseconds
        .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(since)));
    time.ok_or_else(|| StoreError::new(StoreErrorKind::Invalid, format!("page token {token:?}")))
}
