use std::future::{Future, IntoFuture};
use std::io::{self, BufWriter, Write};
use std::pin::Pin;
use std::time::SystemTime;

use inhouse_proto::session::{Entry, Fork as SessionFork, ForkScan, SessionId, Summary};
use inhouse_store::SessionKey;
use tempfile::NamedTempFile;
use uuid::Uuid;

use super::blocking::{blocking, file_error};
use super::files::SessionFiles;
use super::location::{Found, Location, parse_id};
use super::stored::{StoreImport, StoredProject, StoredSession, StreamReader, text_of};
use super::transcript::{LineReader, Windows, open};
use crate::error::{Error, Result};

/// A copy of a session, which is made when this is awaited; see [`Sessions::fork`](super::Sessions::fork).
///
/// On disk, the copy appears with its complete content, or not at all. In a store it has a lease until it is complete, and is erased after an
/// error; an incomplete copy remains if the process ends in between.
///
/// # Errors
/// Awaiting it fails with `Config` for an invalid id, an empty title, a session without messages or a message that is
/// not part of the session; with `SessionNotFound` if there is no such session; and with `Store` if a file or the store
/// cannot be read or written.
#[derive(Clone, Debug)]
#[must_use = "a fork does nothing until it is awaited"]
pub struct Fork {
    location: Location,
    id: String,
    up_to: Option<String>,
    title: Option<String>,
}

impl Fork {
    pub(super) fn new(location: Location, id: &str) -> Self {
        Self {
            location,
            id: id.to_owned(),
            up_to: None,
            title: None,
        }
    }

    /// Sets the last message to copy, by its [`uuid`](super::SessionMessage::uuid). Default: everything.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let prompt = &sessions.messages(id).await?[0];
    /// let copy = sessions.fork(id).up_to(prompt.uuid.as_str()).await?;
    /// assert_eq!(sessions.messages(&copy).await?.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn up_to(mut self, message: impl Into<String>) -> Self {
        self.up_to = Some(message.into());
        self
    }

    /// Sets the title of the copy. Default: the title or the first prompt of the original, and ` (fork)`.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let copy = sessions.fork(id).await?;
    /// assert_eq!(sessions.info(&copy).await?.summary, "Hello (fork)");
    /// let copy = sessions.fork(id).title("Second attempt").await?;
    /// assert_eq!(sessions.info(&copy).await?.summary, "Second attempt");
    /// # Ok(()) });
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Returns the title of the copy.
    fn title_of_copy(&self, original: &Summary) -> Result<String> {
        let Some(title) = &self.title else {
            let title = original.title().or(original.first_prompt());
            return Ok(format!("{} (fork)", title.unwrap_or("Forked session")));
        };
        match title.trim() {
            "" => Err(Error::config("the title of a fork must not be empty")),
            title => Ok(title.to_owned()),
        }
    }

    /// Ends the first pass over the session.
    fn end_scan(&self, scan: ForkScan) -> Result<SessionFork> {
        scan.finish().map_err(|error| {
            let message = match &self.up_to {
                Some(message) => format!("cannot fork {} up to {message:?}", self.id),
                None => format!("cannot fork {}", self.id),
            };
            Error::config(message).with_source(error)
        })
    }

    fn copy_file(&self, found: &Found) -> Result<SessionId> {
        let target = new_id();
        let title = self.title_of_copy(&summary_of(found)?)?;
        let mut scan = ForkScan::new(found.id.clone(), target.clone(), self.up_to.as_deref());
        each_line(found, |line| {
            add_line(&mut scan, line);
            Ok(())
        })?;
        let mut fork = self.end_scan(scan)?;

        let path = found.transcript.with_file_name(format!("{target}.jsonl"));
        let cannot_write = |error| file_error("write", &path, error);
        let dir = found.transcript.parent().unwrap_or(&found.transcript);
        let mut file = BufWriter::new(NamedTempFile::new_in(dir).map_err(cannot_write)?);
        let now = SystemTime::now();
        each_line(found, |line| match fork.rewrite(line, now) {
            Some(copy) => writeln!(file, "{copy}"),
            None => Ok(()),
        })?;
        let finish = || {
            writeln!(file, "{}", fork.title(&title))?;
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist_noclobber(&path)?;
            Ok(())
        };
        finish().map_err(cannot_write)?;
        Ok(target)
    }

    async fn copy_stored(&self, project: &StoredProject, id: &SessionId) -> Result<SessionId> {
        let target = new_id();
        let session = project.find(id).await?;
        let title = self.title_of_copy(&session.summary().await?)?;
        let mut scan = ForkScan::new(id.clone(), target.clone(), self.up_to.as_deref());
        let mut entries = session.main();
        while let Some(lines) = next_lines(&mut entries).await? {
            lines.iter().for_each(|line| add_line(&mut scan, line));
        }
        let fork = self.end_scan(scan)?;
        let mut copy = StoreImport::begin(project, &target).await?;
        match fill(&mut copy, &session, fork, &target, &title).await {
            Ok(()) => copy.finish().await?,
            Err(error) => {
                copy.abandon().await;
                return Err(error);
            }
        }
        Ok(target)
    }
}

impl IntoFuture for Fork {
    type Output = Result<SessionId>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Copies the session and returns the id of the copy.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let id = parse_id(&self.id)?;
            if let Some(project) = self.location.stored()? {
                return self.copy_stored(&project, &id).await;
            }
            let place = self.location.resolve().await?;
            blocking(move || self.copy_file(&place.find(&id)?)).await
        })
    }
}

fn new_id() -> SessionId {
    SessionId::from_u128(Uuid::new_v4().as_u128())
}

/// Adds a line to the first pass over a session.
fn add_line(scan: &mut ForkScan, line: &str) {
    if let Some(entry) = Entry::read(line) {
        scan.push(&entry, || Uuid::new_v4().as_u128());
    }
}

fn summary_of(found: &Found) -> Result<Summary> {
    let mut windows = Windows::new();
    let read = open(&found.transcript).and_then(|mut file| windows.read(&mut file, found.len));
    read.map_err(|error| file_error("read", &found.transcript, error))?;
    Ok(Summary::read(windows.head(), windows.tail()))
}

/// Writes the copy of a session in a store, with its long tool results.
async fn fill(
    copy: &mut StoreImport,
    original: &StoredSession,
    mut fork: SessionFork,
    target: &SessionId,
    title: &str,
) -> Result<()> {
    let mut files = SessionFiles::stored(original).await?;
    while let Some((path, content)) = files.next().await? {
        copy.push_file(&path, content).await?;
    }
    let now = SystemTime::now();
    let mut entries = original.main();
    while let Some(lines) = next_lines(&mut entries).await? {
        for line in lines.iter().filter_map(|line| fork.rewrite(line, now)) {
            copy.push(None, relocate(line, &original.key, target))
                .await?;
        }
    }
    copy.push(None, fork.title(title)).await
}

/// Changes the paths of the files of a session to those of its copy.
///
/// The CLI works on a session of a store in a directory that has the id of the session in its path twice.
fn relocate(mut line: String, original: &SessionKey, copy: &SessionId) -> String {
    let project = original.project().as_str();
    for separator in ["/", r"\\"] {
        let directory = |id: &str| ["", id, "projects", project, id, ""].join(separator);
        let before = directory(original.session());
        if line.contains(&before) {
            line = line.replace(&before, &directory(copy));
        }
    }
    line
}

/// Returns the next lines of a stream; `None` at the end.
async fn next_lines(entries: &mut StreamReader) -> Result<Option<Vec<String>>> {
    let lines = entries.next().await?.into_iter().map(text_of);
    let lines = lines.collect::<Result<Vec<_>>>()?;
    Ok(Some(lines).filter(|lines| !lines.is_empty()))
}

/// Calls a function with each line that the transcript had when it was found.
fn each_line(found: &Found, mut line: impl FnMut(&str) -> io::Result<()>) -> Result<()> {
    let mut read = || {
        let mut lines = LineReader::new(open(&found.transcript)?, found.len);
        while let Some((_, text)) = lines.next()? {
            line(&text)?;
        }
        Ok(())
    };
    read().map_err(|error| file_error("copy", &found.transcript, error))
}
