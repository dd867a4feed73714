use inhouse_proto::session::SessionId;

use super::ends::read_ends;
use super::list::archive_mark;
use super::{OwnedSession, StoredProject};
use crate::error::Result;
use crate::mirror::StoredSummary;
use crate::resume;
use crate::sessions::archive;
use crate::sessions::changes::Change;

impl StoredProject {
    /// Appends the entry of a change to the main stream of a session.
    pub(in crate::sessions) async fn change(&self, id: &SessionId, change: &Change) -> Result<()> {
        self.find(id).await?;
        let owned = self.own(id).await?;
        let appended = self.append_change(&owned, id, change).await;
        owned.release().await;
        appended
    }

    async fn append_change(
        &self,
        owned: &OwnedSession,
        id: &SessionId,
        change: &Change,
    ) -> Result<()> {
        // Found under the lease: another owner may have appended entries before.
        let session = self.find(id).await?;
        let mut ends = read_ends(session.main()).await?;
        let entry = change.entry(id);
        ends.push(entry.as_bytes());
        let summary = StoredSummary::from(&ends.summary()).encode();
        let (main, entries) = (session.key.main(), vec![entry.into()]);
        let appended = owned.append(&main, session.end, entries, Some(summary));
        appended.await
    }

    /// Writes the archive mark of a session.
    pub(in crate::sessions) async fn set_archived(
        &self,
        id: &SessionId,
        archived: bool,
    ) -> Result<()> {
        self.find(id).await?;
        let owned = self.own(id).await?;
        let mark = archive::mark(archived).into();
        let put = owned.put_file(&archive_mark(), mark).await;
        owned.release().await;
        put
    }

    /// Erases a session.
    pub(in crate::sessions) async fn delete(&self, id: &SessionId) -> Result<()> {
        self.find(id).await?;
        let owned = self.own(id).await?;
        let erased = resume::erase(&self.options(), id).await;
        owned.release().await;
        erased
    }
}
