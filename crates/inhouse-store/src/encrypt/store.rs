//! The traits of a store, with everything that has content encrypted on its way.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;

use super::EncryptedStore;
use super::keys::OVERHEAD;
use super::place::Place;
use crate::{
    Append, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Intent, Journal,
    JournaledCall, Lease, Leases, Page, Position, ProjectKey, Result, SessionKey, SessionPage,
    SessionStore, StoreError, StoreErrorKind, StreamKey,
};

#[async_trait]
impl<S: SessionStore> SessionStore for EncryptedStore<S> {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        self.inner.fence(session, epoch).await
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        // A retry has other nonces. That is as good: stores skip entries by their positions and do not compare them.
        let entries = append.entries.iter().enumerate();
        let entries = entries.map(|(index, entry)| {
            let place = Place::entry(stream, append.position.after(index));
            self.seal(&place, entry)
        });
        let entries: Vec<Bytes> = entries.collect::<Result<_>>()?;
        let mut encrypted = Append::new(append.epoch, append.position, entries);
        if let Some(summary) = &append.summary {
            let place = Place::summary(stream.session());
            encrypted.summary = Some(self.seal(&place, summary)?);
        }
        self.inner.append(stream, &encrypted).await
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        self.inner.end(stream).await
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let (keys, stream) = (self.keys.clone(), stream.clone());
        let numbered = self.inner.load(&stream, from).enumerate();
        let opened = numbered.map(move |(index, entry)| {
            let place = Place::entry(&stream, from.after(index));
            keys.open(place.as_bytes(), entry?)
        });
        // A stream of entries ends after its first error.
        let mut has_failed = false;
        Box::pin(opened.take_while(move |entry| {
            let ends = has_failed;
            has_failed |= entry.is_err();
            std::future::ready(!ends)
        }))
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        self.inner.subpaths(session).await
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        let mut page = self.inner.list(project, page).await?;
        for session in &mut page.sessions {
            if let Some(summary) = session.summary.take() {
                let place = Place::summary(&session.key);
                session.summary = Some(self.open(&place, summary)?);
            }
        }
        Ok(page)
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        let content = self.seal(&Place::file(session, path), &content)?;
        self.inner.put_file(session, epoch, path, content).await
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let content = self.inner.file(session, path).await?;
        let place = Place::file(session, path);
        content
            .map(|content| self.open(&place, content))
            .transpose()
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let mut files = self.inner.files(session).await?;
        for file in &mut files {
            file.size = file.size.saturating_sub(OVERHEAD as u64);
        }
        Ok(files)
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        self.inner.erase(what).await
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        self.inner.erase_idle(idle, project)
    }

    fn leases(&self) -> Option<&dyn Leases> {
        self.inner.leases()
    }

    fn journal(&self) -> Option<&dyn Journal> {
        self.inner.journal().map(|_| self as _)
    }
}

/// Fails with `Invalid` if the store inside has no leases.
#[async_trait]
impl<S: SessionStore> Leases for EncryptedStore<S> {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        self.inner_leases()?.acquire(session, owner, ttl).await
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        self.inner_leases()?.renew(lease, ttl).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        self.inner_leases()?.release(lease).await
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        self.inner_leases()?.holder(session).await
    }
}

/// Fails with `Invalid` if the store inside has no journal.
#[async_trait]
impl<S: SessionStore> Journal for EncryptedStore<S> {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        let (call, tool) = (&*intent.call, &*intent.tool);
        let seal = |member, content| {
            let place = Place::intent(session, call, tool, member);
            self.seal(&place, content)
        };
        let message = seal("message", &intent.messages)?;
        let input = seal("input", &intent.input)?;
        let encrypted = Intent::new(call, tool, message, input);
        let journal = self.inner_journal()?;
        let result = journal.intend(session, epoch, &encrypted).await?;
        self.opened_result(session, call, result)
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        let result = self.seal(&Place::result(session, call), &result)?;
        let journal = self.inner_journal()?;
        journal.finish(session, epoch, call, result).await
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        let mut calls = self.inner_journal()?.calls(session).await?;
        for JournaledCall { intent, result, .. } in &mut calls {
            let open = |member, content: &Bytes| {
                let place = Place::intent(session, &intent.call, &intent.tool, member);
                self.open(&place, content.clone())
            };
            (intent.messages, intent.input) = (
                open("message", &intent.messages)?,
                open("input", &intent.input)?,
            );
            *result = self.opened_result(session, &intent.call, result.take())?;
        }
        Ok(calls)
    }

    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()> {
        self.inner_journal()?.forget(session, epoch, calls).await
    }
}

impl<S: SessionStore> EncryptedStore<S> {
    fn seal(&self, place: &Place, content: &[u8]) -> Result<Bytes> {
        self.keys.seal(place.as_bytes(), content)
    }

    fn open(&self, place: &Place, record: Bytes) -> Result<Bytes> {
        self.keys.open(place.as_bytes(), record)
    }

    fn opened_result(
        &self,
        session: &SessionKey,
        call: &str,
        result: Option<Bytes>,
    ) -> Result<Option<Bytes>> {
        let place = Place::result(session, call);
        result.map(|result| self.open(&place, result)).transpose()
    }

    fn inner_leases(&self) -> Result<&dyn Leases> {
        self.inner.leases().ok_or_else(|| missing("leases"))
    }

    fn inner_journal(&self) -> Result<&dyn Journal> {
        self.inner.journal().ok_or_else(|| missing("journal"))
    }
}

fn missing(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Invalid, format!("the store has no {what}"))
}
