use std::future::{Future, IntoFuture};
use std::io::{self, BufWriter, Write};
use std::pin::Pin;
use std::time::SystemTime;

use inhouse_proto::session::{Entry, ForkScan, SessionId, Summary};
use tempfile::NamedTempFile;
use uuid::Uuid;

use super::blocking::{blocking, file_error};
use super::location::{Found, Location, parse_id};
use super::transcript::{LineReader, Windows, open};
use crate::error::{Error, Result};

/// A copy of a session, which is made when this is awaited; see [`Sessions::fork`](super::Sessions::fork).
///
/// The copy appears with its complete content, or not at all.
///
/// # Errors
/// Awaiting it fails with `Config` for an invalid id, an empty title, a session without messages or a message that is
/// not part of the session; with `SessionNotFound` if there is no such session; and with `Store` if a file cannot be
/// read or written.
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

    fn copy(&self, found: &Found) -> Result<SessionId> {
        let target = SessionId::from_u128(Uuid::new_v4().as_u128());
        let title = match &self.title {
            Some(title) => match title.trim() {
                "" => return Err(Error::config("the title of a fork must not be empty")),
                title => title.to_owned(),
            },
            None => default_title(found)?,
        };
        let mut scan = ForkScan::new(found.id.clone(), target.clone(), self.up_to.as_deref());
        each_line(found, |line| {
            if let Some(entry) = Entry::read(line) {
                scan.push(&entry, || Uuid::new_v4().as_u128());
            }
            Ok(())
        })?;
        let mut fork = scan.finish().map_err(|error| {
            let message = match &self.up_to {
                Some(message) => format!("cannot fork {} up to {message:?}", found.id),
                None => format!("cannot fork {}", found.id),
            };
            Error::config(message).with_source(error)
        })?;

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
}

impl IntoFuture for Fork {
    type Output = Result<SessionId>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Copies the session and returns the id of the copy.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let id = parse_id(&self.id)?;
            let place = self.location.resolve().await?;
            blocking(move || self.copy(&place.find(&id)?)).await
        })
    }
}

fn default_title(found: &Found) -> Result<String> {
    let mut windows = Windows::new();
    let read = open(&found.transcript).and_then(|mut file| windows.read(&mut file, found.len));
    read.map_err(|error| file_error("read", &found.transcript, error))?;
    let summary = Summary::read(windows.head(), windows.tail());
    let title = summary.title().or(summary.first_prompt());
    Ok(format!("{} (fork)", title.unwrap_or("Forked session")))
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
