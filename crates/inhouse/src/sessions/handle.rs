use std::path::PathBuf;
use std::sync::Arc;

use inhouse_store::SessionStore;

use super::blocking::blocking;
use super::files::SessionFiles;
use super::location::{Location, parse_id};
use super::{
    Export, Fork, Import, List, Messages, SessionInfo, Subagent, archive, changes, info, subagents,
};
use crate::error::Result;
use crate::options::Store;

/// The sessions in a configuration directory of the CLI or in a store, or those of a single project.
///
/// Every function that takes the id of a session fails with `Config` if the id is not a UUID, and with
/// [`SessionNotFound`](crate::ErrorKind::SessionNotFound) if there is no such session.
///
/// ```
/// use inhouse::sessions::Sessions;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse::Result<()> {
/// # let config = tempfile::tempdir().unwrap();
/// let sessions = Sessions::new().config_dir(config.path()).project("/home/me/app");
/// assert!(sessions.list().await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a handle does nothing by itself"]
pub struct Sessions {
    pub(super) location: Location,
}

impl Sessions {
    /// Creates a handle for all projects in the usual configuration directory.
    ///
    /// ```
    /// use inhouse::sessions::Sessions;
    ///
    /// # inhouse_testkit::run(async {
    /// # let config = tempfile::tempdir().unwrap();
    /// let sessions = Sessions::new();
    /// # let sessions = sessions.config_dir(config.path());
    /// assert!(sessions.list().await?.is_empty());
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the configuration directory of the CLI.
    ///
    /// Default: the environment variable `CLAUDE_CONFIG_DIR`, else `.claude` in the home directory.
    ///
    /// ```
    /// use inhouse::sessions::Sessions;
    ///
    /// # inhouse_testkit::run(async {
    /// // A directory without sessions, such as that of a new user.
    /// let config = tempfile::tempdir().unwrap();
    /// let sessions = Sessions::new().config_dir(config.path());
    /// assert!(sessions.list().await?.is_empty());
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    pub fn config_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.location.config_dir = Some(dir.into());
        self
    }

    /// Sets the project: the working directory in which the sessions ran.
    ///
    /// A session is searched in the project and in the other worktrees of its git repository. Default: every project. If
    /// several projects have a session with the same id, the one that was modified last is used. In a [store](Self::store), a handle has a
    /// single project, without the worktrees of its repository.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let app = sessions.clone().project("/app");
    /// assert_eq!(&*app.list().await?[0].id, id);
    /// let other = sessions.project("/other");
    /// assert!(other.list().await?.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn project(mut self, dir: impl Into<PathBuf>) -> Self {
        self.location.project = Some(dir.into());
        self
    }

    /// Sets the store that has the sessions, in the place of the disk.
    ///
    /// The functions of the handle then work on the sessions that [`Options::store`](crate::Options::store) keeps. The
    /// [project](Self::project) is the working directory of these sessions; default: that of this process. The configuration directory has
    /// no effect.
    ///
    /// A function that changes a session takes its lease first, and fails with [`Held`](crate::ErrorKind::Held) if a host runs the session. In a
    /// store without leases it becomes the owner of the session instead, and ends a host that runs it with
    /// [`Fenced`](crate::ErrorKind::Fenced). A call to a store that fails is repeated for a minute.
    ///
    /// ```
    /// use inhouse::sessions::Sessions;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let stored = Sessions::new().store(MemoryStore::new()).project("/app");
    /// sessions.copy_to(id, &stored).await?;
    ///
    /// stored.rename(id, "Invoices").await?;
    /// assert_eq!(stored.list().await?[0].summary, "Invoices");
    /// let copy = stored.fork(id).await?;
    /// assert_eq!(stored.messages(&copy).await?[0].text(), "Hello");
    /// # Ok(()) });
    /// ```
    pub fn store(mut self, store: impl SessionStore + 'static) -> Self {
        self.location.store = Some(Store(Arc::new(store)));
        self
    }

    /// Lists the sessions, those modified last first.
    ///
    /// Awaiting the returned [`List`] reads them. Transcripts of subagents, empty ones and those without any prompt or
    /// title are left out, and so are sessions that were continued in another one.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, _| {
    /// let newest = sessions.list().limit(1).await?;
    /// assert_eq!(newest[0].summary, "Hello");
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> List {
        List::new(self.location.clone())
    }

    /// Returns information about a session.
    ///
    /// ```
    /// use inhouse::ErrorKind;
    ///
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let info = sessions.info(id).await?;
    /// assert_eq!(info.first_prompt.as_deref(), Some("Hello"));
    ///
    /// let missing = sessions.info("2f3f1f1c-7a46-4f0c-9d5e-0b9c6f6e2a11").await;
    /// assert_eq!(missing.unwrap_err().kind(), ErrorKind::SessionNotFound);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session, or if it is the transcript of a
    /// subagent; `Store` if the transcript or the store cannot be read.
    pub async fn info(&self, id: &str) -> Result<SessionInfo> {
        let id = parse_id(id)?;
        if let Some(project) = self.location.stored()? {
            return project.info(&id).await;
        }
        let place = self.location.resolve().await?;
        blocking(move || info::read_info(&place, &id)).await
    }

    /// Reads the messages of a session, oldest first.
    ///
    /// These are the messages of the latest branch since the last compaction, as the model sees them. Awaiting the
    /// returned [`Messages`] reads all of them; [`Messages::stream`] reads them one by one.
    ///
    /// ```
    /// use inhouse::sessions::SessionMessageKind;
    ///
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let messages = sessions.messages(id).await?;
    /// assert_eq!(messages[0].kind, SessionMessageKind::User);
    /// assert_eq!(messages[0].text(), "Hello");
    /// # Ok(()) });
    /// ```
    pub fn messages(&self, id: &str) -> Messages {
        Messages::new(self.location.clone(), id, None)
    }

    /// Lists the subagents of a session, by the names of their transcripts.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let subagents = sessions.subagents(id).await?;
    /// assert_eq!(subagents.len(), 1);
    /// assert_eq!(subagents[0].id, "helper");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session; `Store` if its directory or the store
    /// cannot be read.
    pub async fn subagents(&self, id: &str) -> Result<Vec<Subagent>> {
        let id = parse_id(id)?;
        if let Some(project) = self.location.stored()? {
            return project.find(&id).await?.subagents().await;
        }
        let place = self.location.resolve().await?;
        blocking(move || subagents::list(&place.find(&id)?)).await
    }

    /// Reads the messages of a subagent, oldest first.
    ///
    /// `agent` is the [`id`](Subagent::id) of the subagent. Messages that the CLI does not show are included.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let messages = sessions.subagent_messages(id, "helper").await?;
    /// assert_eq!(messages[0].text(), "Help.");
    /// # Ok(()) });
    /// ```
    pub fn subagent_messages(&self, id: &str, agent: &str) -> Messages {
        Messages::new(self.location.clone(), id, Some(agent.to_owned()))
    }

    /// Gives a session a title.
    ///
    /// The title is trimmed. A CLI that runs the session adopts the title; the control request
    /// [`RenameSession`](crate::control::outgoing::RenameSession) renames a running session at once.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.rename(id, "Invoices").await?;
    /// assert_eq!(sessions.info(id).await?.title.as_deref(), Some("Invoices"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id or an empty title; `SessionNotFound` if there is no such session; `Held` if a
    /// host runs the session of a store; `Store` if the transcript or the store cannot be written.
    pub async fn rename(&self, id: &str, title: &str) -> Result<()> {
        self.change(id, changes::title(title)?).await
    }

    /// Tags a session, in place of the tag that it has.
    ///
    /// The tag is trimmed and normalized (NFKC), and invisible characters are removed.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.tag(id, "billing").await?;
    /// assert_eq!(sessions.info(id).await?.tag.as_deref(), Some("billing"));
    /// sessions.untag(id).await?;
    /// assert_eq!(sessions.info(id).await?.tag, None);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id or a tag without visible characters; `SessionNotFound` if there is no such session;
    /// `Held` if a host runs the session of a store; `Store` if the transcript or the store cannot be written.
    pub async fn tag(&self, id: &str, tag: &str) -> Result<()> {
        self.change(id, changes::tag(tag)?).await
    }

    /// Removes the tag of a session.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.tag(id, "billing").await?;
    /// sessions.untag(id).await?;
    /// assert_eq!(sessions.info(id).await?.tag, None);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session; `Held` if a host runs the session of a
    /// store; `Store` if the transcript or the store cannot be written.
    pub async fn untag(&self, id: &str) -> Result<()> {
        self.change(id, changes::Change::Tag(String::new())).await
    }

    /// Marks a session as archived. The transcript is not changed.
    ///
    /// The mark is in effect until a person sends another prompt in the session, or [`unarchive`](Self::unarchive) is
    /// called. If several projects have the session, it is archived in all of them.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.archive(id).await?;
    /// assert!(sessions.info(id).await?.is_archived);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session; `Held` if a host runs the session of a
    /// store; `Store` if the mark cannot be written.
    pub async fn archive(&self, id: &str) -> Result<()> {
        self.set_archived(id, true).await
    }

    /// Takes a session out of the archive.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.archive(id).await?;
    /// sessions.unarchive(id).await?;
    /// assert!(!sessions.info(id).await?.is_archived);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// Fails as [`archive`](Self::archive) does.
    pub async fn unarchive(&self, id: &str) -> Result<()> {
        self.set_archived(id, false).await
    }

    /// Deletes a session: its subagents and other files first, then its transcript.
    ///
    /// If this fails or the process ends in between, the session is still listed, and can be deleted again. If several
    /// projects have the session, one of them is deleted.
    ///
    /// A session of a store is erased under its lease, together with its directory below the default root of session directories. Use
    /// [`erase`](super::erase()) for hosts with a [`session_root`](crate::Options::session_root), or to erase a session that a host runs.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.delete(id).await?;
    /// assert!(sessions.list().await?.is_empty());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session; `Held` if a host runs the session of a
    /// store; `Store` if a file cannot be removed, or the store fails.
    pub async fn delete(&self, id: &str) -> Result<()> {
        let id = parse_id(id)?;
        if let Some(project) = self.location.stored()? {
            return project.delete(&id).await;
        }
        let place = self.location.resolve().await?;
        blocking(move || changes::delete(&place.find(&id)?)).await
    }

    /// Copies a session to a new one in the same project, and returns the id of the copy.
    ///
    /// The original does not change. The copy can be resumed with [`Options::resume`](crate::Options::resume). To fork
    /// and resume in one step, use [`Options::fork_session`](crate::Options::fork_session). Subagents, checkpoints of
    /// files and the archive mark are not copied. In a store, the files with long tool results are.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let copy = sessions.fork(id).title("Second attempt").await?;
    /// assert_eq!(sessions.info(&copy).await?.summary, "Second attempt");
    /// assert_eq!(sessions.messages(&copy).await?[0].text(), "Hello");
    /// # Ok(()) });
    /// ```
    pub fn fork(&self, id: &str) -> Fork {
        Fork::new(self.location.clone(), id)
    }

    /// Reads all entries of a session and its subagents, byte for byte.
    ///
    /// Returns a stream; nothing is read before it is polled. [`import`](Self::import) writes the entries to another
    /// place, and [`copy_to`](Self::copy_to) does both.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let mut entries = sessions.export(id);
    /// let first = entries.next().await.unwrap()?;
    /// assert!(first.line.contains("Hello"));
    /// assert_eq!(first.subpath, None);
    /// # Ok(()) });
    /// ```
    pub fn export(&self, id: &str) -> Export {
        Export::new(self.location.clone(), id)
    }

    /// Begins to write a session from its entries into the [project](Self::project) of this handle.
    ///
    /// The session exists once [`Import::finish`] has returned.
    ///
    /// ```
    /// use inhouse::sessions::Sessions;
    ///
    /// let other = tempfile::tempdir()?;
    /// let there = Sessions::new().config_dir(other.path()).project("/other");
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let mut entries = sessions.export(id);
    /// let mut import = there.import(id).await?;
    /// while let Some(entry) = entries.next().await {
    ///     import.push(entry?).await?;
    /// }
    /// import.finish().await?;
    /// assert_eq!(there.messages(id).await?[0].text(), "Hello");
    /// # Ok(()) });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id, and on disk if the project is not set or has a session with this id; `Held` if a host runs a session with
    /// this id in the store; `Store` if the project's directory or the store cannot be written.
    pub async fn import(&self, id: &str) -> Result<Import> {
        Import::begin(&self.location, parse_id(id)?).await
    }

    /// Copies a session to another place under the same id: from the disk to a store, from a store to the disk, or between two of a kind.
    ///
    /// Copied are all entries of the session and its subagents, byte for byte, and the files with long tool results. Checkpoints of files and the
    /// archive mark are not. The copy is one of the [project](Self::project) of `target`, and is resumed in that working directory. A session
    /// should run in one of both places afterwards. Memory does not grow with the length of the transcript.
    ///
    /// A copy to a store can be repeated, after an error or to add what was written since: entries that the store has are compared and not
    /// stored again.
    ///
    /// ```
    /// use inhouse::ErrorKind;
    /// use inhouse::sessions::Sessions;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let stored = Sessions::new().store(MemoryStore::new()).project("/app");
    /// sessions.copy_to(id, &stored).await?;
    /// // Continue it with `Options::new().store(store).cwd("/app").resume(id)`.
    /// assert_eq!(stored.messages(id).await?.len(), 2);
    ///
    /// // The session continues in the store, so the one on the disk is another one now.
    /// stored.tag(id, "billing").await?;
    /// let error = sessions.copy_to(id, &stored).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id, if `target` has another session with this id, or is on disk and has no project; `SessionNotFound` if there is no
    /// such session; `Held` if a host runs the session in the store of `target`; `Store` if a file or a store cannot be read or written; `Fenced` if
    /// another owner takes the session in the store meanwhile.
    pub async fn copy_to(&self, id: &str, target: &Self) -> Result<()> {
        let id = parse_id(id)?;
        let files = SessionFiles::find(&self.location, id.clone()).await?;
        let import = target.import(&id).await?;
        import.copy(self.export(&id), files).await
    }

    async fn change(&self, id: &str, change: changes::Change) -> Result<()> {
        let id = parse_id(id)?;
        if let Some(project) = self.location.stored()? {
            return project.change(&id, &change).await;
        }
        let place = self.location.resolve().await?;
        blocking(move || changes::append(&place.find(&id)?, &change)).await
    }

    async fn set_archived(&self, id: &str, archived: bool) -> Result<()> {
        let id = parse_id(id)?;
        if let Some(project) = self.location.stored()? {
            return project.set_archived(&id, archived).await;
        }
        let place = self.location.resolve().await?;
        blocking(move || {
            place
                .find_all(&id)?
                .iter()
                .try_for_each(|found| archive::write(found, archived))
        })
        .await
    }
}
