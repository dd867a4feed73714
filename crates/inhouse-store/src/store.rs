//! The trait that every store implements.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_core::Stream;

use crate::{
    Append, Epoch, Erase, FileInfo, FilePath, Journal, Leases, Page, Position, ProjectKey, Result,
    SessionKey, SessionPage, StreamKey,
};

/// A stream of entries in order. It ends after its first error.
pub type EntryStream = Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>;

/// A stream of sessions that were erased, each one as soon as it is. It ends after its first error.
pub type ErasedStream = Pin<Box<dyn Stream<Item = Result<SessionKey>> + Send>>;

/// Keeps the transcripts of sessions and the files that belong to them.
///
/// Entries are opaque. A store returns them byte for byte, whatever they contain: NUL, invalid UTF-8, line breaks.
///
/// # Implement a store
///
/// `#[async_trait]` is re-exported by this crate. `inhouse_testkit::store_battery` checks what this page says.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Makes an epoch the current one of a session, so that writes under every other epoch fail.
    ///
    /// `None` takes the next epoch: a new owner, without a lease. `Some` makes an epoch known that [`Leases`](crate::Leases) have
    /// granted, of this store or of another one; it does nothing if that epoch is current already. A session that does not exist is
    /// created, and is not listed before its first entry.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{SessionKey, SessionStore, StoreErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let first = store.fence(&session, None).await?;
    /// let second = store.fence(&session, None).await?;
    /// assert!(second > first);
    /// let error = store.fence(&session, Some(first)).await.unwrap_err();
    /// assert_eq!(error.kind(), StoreErrorKind::Fenced);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Fenced`](crate::StoreErrorKind::Fenced) if the current epoch is greater than `epoch`, also if another owner has taken over before
    /// the call returns.
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch>;

    /// Appends entries to a stream, and returns the end of the stream.
    ///
    /// The check of the epoch and the write are one atomic step. Entries whose positions this epoch has written already are skipped, the rest is
    /// written: a retry, also one with more entries behind, changes nothing that is there. The skipped entries are not compared. An append
    /// without entries checks the epoch and changes nothing.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore, StoreErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let append = Append::new(epoch, Position::START, ["{}", "{}"]);
    /// assert_eq!(store.append(&session.main(), &append).await?, Position::new(2));
    ///
    /// let behind = Append::new(epoch, Position::new(7), ["{}"]);
    /// let error = store.append(&session.main(), &behind).await.unwrap_err();
    /// assert_eq!(error.kind(), StoreErrorKind::Gap);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// - [`Fenced`](crate::StoreErrorKind::Fenced) if the epoch is not the current one.
    /// - [`Gap`](crate::StoreErrorKind::Gap) if the position is behind the end of the stream.
    /// - [`Conflict`](crate::StoreErrorKind::Conflict) if another epoch has written an entry at one of the positions.
    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position>;

    /// Returns the end of a stream: the position of the next entry. It is [`Position::START`] for a stream that does not exist.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// assert_eq!(store.end(&session.main()).await?, Position::START);
    /// let epoch = store.fence(&session, None).await?;
    /// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
    /// assert_eq!(store.end(&session.main()).await?, Position::new(1));
    /// # Ok(()) }
    /// ```
    async fn end(&self, stream: &StreamKey) -> Result<Position>;

    /// Streams the entries from a position on, in order; none for a stream that does not exist.
    ///
    /// The stream has all entries that exist when it begins, and may have entries that are appended meanwhile. It reads
    /// on demand, so memory does not grow with the length of the transcript.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use futures_util::StreamExt as _;
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let append = Append::new(epoch, Position::START, ["first", "second"]);
    /// store.append(&session.main(), &append).await?;
    ///
    /// let mut entries = store.load(&session.main(), Position::new(1));
    /// assert_eq!(entries.next().await.unwrap()?, "second");
    /// assert!(entries.next().await.is_none());
    /// # Ok(()) }
    /// ```
    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream;

    /// Returns all entries of a stream in order. [`load`](Self::load) needs less memory.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let append = Append::new(epoch, Position::START, ["first", "second"]);
    /// store.append(&session.main(), &append).await?;
    /// assert_eq!(store.read(&session.main()).await?, ["first", "second"]);
    /// # Ok(()) }
    /// ```
    async fn read(&self, stream: &StreamKey) -> Result<Vec<Bytes>> {
        let mut stream = self.load(stream, Position::START);
        let mut entries = Vec::new();
        while let Some(entry) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
            entries.push(entry?);
        }
        Ok(entries)
    }

    /// Returns the streams of a session apart from the main one, in the order of their subpaths.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let subagent = session.stream("subagents/agent-1")?;
    /// store.append(&subagent, &Append::new(epoch, Position::START, ["{}"])).await?;
    /// assert_eq!(store.subpaths(&session).await?, [subagent]);
    /// # Ok(()) }
    /// ```
    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>>;

    /// Returns a page of the sessions of a project that have entries in their main stream, newest first, with their summaries.
    ///
    /// A session that is appended to between two pages may be missing from the second.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Page, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
    ///
    /// let page = store.list(session.project(), &Page::first().limit(20)).await?;
    /// assert_eq!(page.sessions[0].key, session);
    /// assert_eq!(page.next, None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::StoreErrorKind::Invalid) if the page token is not one of this store.
    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage>;

    /// Writes a file of a session, such as `tool-results/….txt`, or replaces it.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{FilePath, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let path = FilePath::new("tool-results/1.txt")?;
    /// store.put_file(&session, epoch, &path, "a long result".into()).await?;
    /// assert_eq!(store.file(&session, &path).await?.unwrap(), "a long result");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Fenced`](crate::StoreErrorKind::Fenced) if the epoch is not the current one.
    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()>;

    /// Returns the content of a file; `None` if there is no such file.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{FilePath, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let path = FilePath::new("tool-results/1.txt")?;
    /// assert_eq!(store.file(&session, &path).await?, None);
    /// # Ok(()) }
    /// ```
    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>>;

    /// Returns the files of a session, in the order of their paths.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{FilePath, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let path = FilePath::new("tool-results/1.txt")?;
    /// store.put_file(&session, epoch, &path, "12345".into()).await?;
    /// let files = store.files(&session).await?;
    /// assert_eq!((&files[0].path, files[0].size), (&path, 5));
    /// # Ok(()) }
    /// ```
    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>>;

    /// Removes data completely. Data that does not exist is no error.
    ///
    /// Needs no epoch. An owner that still runs a session that was erased is fenced, and later epochs of the session are greater than all
    /// before. An erasure that was cut off is completed by calling it again.
    ///
    /// # What stays
    ///
    /// What a server keeps by itself is beyond a store: rows of PostgreSQL until they are vacuumed, its write-ahead log, versions of objects in a
    /// bucket that keeps them, and backups. With an `EncryptedStore`, destroying the key makes all of
    /// it unreadable.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore, StoreErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// let append = Append::new(epoch, Position::START, ["{}"]);
    /// store.append(&session.main(), &append).await?;
    ///
    /// store.erase(&session.clone().into()).await?;
    /// assert!(store.read(&session.main()).await?.is_empty());
    /// let error = store.append(&session.main(), &append).await.unwrap_err();
    /// assert_eq!(error.kind(), StoreErrorKind::Fenced);
    /// # Ok(()) }
    /// ```
    async fn erase(&self, what: &Erase) -> Result<()>;

    /// Erases the sessions without an append to their main stream for `idle`, one after the other, and streams their keys.
    ///
    /// Sessions with a lease that has not run out are kept, and so is a session that is written to before its turn comes. `project` of `None`
    /// means all projects. Nothing is erased before the stream is polled, and dropping it stops: a session is then erased completely or not
    /// at all. Other sessions can be used meanwhile, also if there are many to erase.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use std::future::poll_fn;
    /// use std::time::Duration;
    ///
    /// use futures_core::Stream;
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Append, Position, SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let epoch = store.fence(&session, None).await?;
    /// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
    ///
    /// let mut erased = store.erase_idle(Duration::from_secs(30 * 24 * 3600), None);
    /// let first = poll_fn(|cx| erased.as_mut().poll_next(cx)).await;
    /// assert!(first.is_none(), "the session is younger than a month");
    /// # Ok(()) }
    /// ```
    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream;

    /// Returns the leases of this store; `None`, the default, for a store without leases.
    ///
    /// A session of a store with leases runs on one host at a time.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let leases = store.leases().expect("a store in memory has leases");
    /// assert_eq!(leases.holder(&session).await?, None);
    /// # Ok(()) }
    /// ```
    fn leases(&self) -> Option<&dyn Leases> {
        None
    }

    /// Returns the journal of this store; `None`, the default, for a store without a journal.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{SessionKey, SessionStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let journal = store.journal().expect("a store in memory has a journal");
    /// assert!(journal.calls(&session).await?.is_empty());
    /// # Ok(()) }
    /// ```
    fn journal(&self) -> Option<&dyn Journal> {
        None
    }
}

#[async_trait]
impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        (**self).fence(session, epoch).await
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        (**self).append(stream, append).await
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        (**self).end(stream).await
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        (**self).load(stream, from)
    }

    async fn read(&self, stream: &StreamKey) -> Result<Vec<Bytes>> {
        (**self).read(stream).await
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        (**self).subpaths(session).await
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        (**self).list(project, page).await
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        (**self).put_file(session, epoch, path, content).await
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        (**self).file(session, path).await
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        (**self).files(session).await
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        (**self).erase(what).await
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        (**self).erase_idle(idle, project)
    }

    fn leases(&self) -> Option<&dyn Leases> {
        (**self).leases()
    }

    fn journal(&self) -> Option<&dyn Journal> {
        (**self).journal()
    }
}
