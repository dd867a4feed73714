use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use inhouse_proto::session::{Entry, metadata_entry};
use inhouse_store::StreamKey;

use super::batches::{BATCH, Batches, Source};
use super::blocking::{blocking, file_error};
use super::location::{Location, parse_id};
use super::stored::{StoredSession, StreamReader, text_of};
use super::subagents;
use super::transcript::{LineReader, open};
use crate::error::Result;

/// An entry of an exported session: a line of the session's transcript, or of another transcript below it.
///
/// ```
/// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
/// let mut entries = sessions.export(id);
/// let mut of_subagents = 0;
/// while let Some(entry) = entries.next().await {
///     of_subagents += usize::from(entry?.subpath.is_some());
/// }
/// assert_eq!(of_subagents, 1);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEntry {
    /// The transcript below the session, such as `subagents/agent-<id>`; `None` for the session's own.
    pub subpath: Option<String>,
    /// The entry, a JSON object without a line break.
    pub line: String,
}

impl SessionEntry {
    /// Creates an entry of the session's own transcript.
    ///
    /// ```
    /// use inhouse::sessions::SessionEntry;
    ///
    /// let entry = SessionEntry::new(r#"{"type":"user","message":{"content":"Hello"}}"#);
    /// assert_eq!(entry.subpath, None);
    /// ```
    #[must_use]
    pub fn new(line: impl Into<String>) -> Self {
        Self {
            subpath: None,
            line: line.into(),
        }
    }

    /// Creates an entry of a transcript below the session.
    ///
    /// ```
    /// use inhouse::sessions::SessionEntry;
    ///
    /// let line = r#"{"type":"user","message":{"content":"Help."}}"#;
    /// let entry = SessionEntry::at("subagents/agent-helper", line);
    /// assert_eq!(entry.subpath.as_deref(), Some("subagents/agent-helper"));
    /// ```
    #[must_use]
    pub fn at(subpath: impl Into<String>, line: impl Into<String>) -> Self {
        Self {
            subpath: Some(subpath.into()),
            line: line.into(),
        }
    }
}

/// A stream of all entries of a session; see [`Sessions::export`](super::Sessions::export).
///
/// The entries of the session come first, then those of each subagent, whose metadata follows them as an entry of the
/// type `agent_metadata`. Lines that are not entries are left out, such as the half-written last line of a CLI that was
/// killed. Other files of the session, such as long tool results, are not entries, and neither are the results of turns that a store has.
///
/// Nothing is read before the stream is polled. An `Err` is always the last item.
#[must_use = "a stream does nothing until it is polled"]
pub struct Export(Batches<EntrySource>);

impl Export {
    pub(super) fn new(location: Location, id: &str) -> Self {
        let id = id.to_owned();
        Self(Batches::new(async move {
            let id = parse_id(&id)?;
            if let Some(project) = location.stored()? {
                let session = project.find(&id).await?;
                let streams = session.transcripts().await?.into();
                return Ok(EntrySource::Stored(TranscriptStreams {
                    current: session.main(),
                    session,
                    streams,
                }));
            }
            let place = location.resolve().await?;
            blocking(move || {
                let found = place.find(&id)?;
                let dir = found.session_dir();
                let mut files = VecDeque::from([TranscriptFile {
                    subpath: None,
                    path: found.transcript,
                    len: found.len,
                }]);
                for (path, len) in subagents::transcripts(&dir.join("subagents"))? {
                    if let Some(subpath) = subpath(&dir, &path) {
                        files.push_back(TranscriptFile {
                            subpath: Some(subpath),
                            path,
                            len,
                        });
                    }
                }
                Ok(EntrySource::Files(TranscriptFiles {
                    files,
                    current: None,
                }))
            })
            .await
        }))
    }

    /// Returns the next entry; `None` after the last one.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// let mut entries = sessions.export(id);
    /// let mut count = 0;
    /// while let Some(entry) = entries.next().await {
    ///     assert!(entry?.line.starts_with('{'));
    ///     count += 1;
    /// }
    /// // The prompt, the answer, and the prompt of the subagent.
    /// assert_eq!(count, 3);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// `Config` for an invalid id; `SessionNotFound` if there is no such session; `Store` if a file or the store cannot be
    /// read. Nothing follows an error.
    ///
    /// # Cancellation
    /// Dropping the future loses no entry, so it can be used in a `select!`.
    pub async fn next(&mut self) -> Option<Result<SessionEntry>> {
        poll_fn(|cx| self.0.poll_item(cx)).await
    }
}

impl Stream for Export {
    type Item = Result<SessionEntry>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_item(cx)
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").finish_non_exhaustive()
    }
}

struct TranscriptFile {
    subpath: Option<String>,
    path: PathBuf,
    len: u64,
}

struct TranscriptFiles {
    files: VecDeque<TranscriptFile>,
    current: Option<(TranscriptFile, LineReader)>,
}

struct TranscriptStreams {
    session: StoredSession,
    current: StreamReader,
    /// The streams that follow the current one.
    streams: VecDeque<StreamKey>,
}

enum EntrySource {
    Files(TranscriptFiles),
    Stored(TranscriptStreams),
}

impl Source for EntrySource {
    type Item = SessionEntry;

    async fn read(self) -> Result<(Self, Vec<SessionEntry>)> {
        match self {
            Self::Files(mut files) => {
                blocking(move || {
                    let entries = files.read()?;
                    Ok((Self::Files(files), entries))
                })
                .await
            }
            Self::Stored(mut streams) => {
                let entries = streams.read().await?;
                Ok((Self::Stored(streams), entries))
            }
        }
    }
}

impl TranscriptStreams {
    async fn read(&mut self) -> Result<Vec<SessionEntry>> {
        loop {
            let stored = self.current.next().await?;
            if stored.is_empty() {
                let Some(stream) = self.streams.pop_front() else {
                    return Ok(Vec::new());
                };
                self.current = self.session.read(stream).await?;
                continue;
            }
            let mut entries = Vec::with_capacity(stored.len());
            for entry in stored {
                let line = text_of(entry)?;
                if Entry::read(&line).is_some() {
                    let subpath = self.current.subpath().map(str::to_owned);
                    entries.push(SessionEntry { subpath, line });
                }
            }
            if !entries.is_empty() {
                return Ok(entries);
            }
        }
    }
}

impl TranscriptFiles {
    fn read(&mut self) -> Result<Vec<SessionEntry>> {
        let mut entries = Vec::new();
        let mut size = 0;
        while size < BATCH {
            let Some((file, lines)) = &mut self.current else {
                let Some(file) = self.files.pop_front() else {
                    break;
                };
                let opened =
                    open(&file.path).map_err(|error| file_error("read", &file.path, error))?;
                let lines = LineReader::new(opened, file.len);
                self.current = Some((file, lines));
                continue;
            };
            let line = lines.next();
            let line = line.map_err(|error| file_error("read", &file.path, error))?;
            let line = match line {
                Some((_, line)) if Entry::read(&line).is_some() => line.into_owned(),
                Some(_) => continue,
                None => {
                    let metadata = metadata(file);
                    self.current = None;
                    entries.extend(metadata);
                    continue;
                }
            };
            size += line.len();
            entries.push(SessionEntry {
                subpath: file.subpath.clone(),
                line,
            });
        }
        Ok(entries)
    }
}

/// Returns the metadata of a subagent as an entry.
fn metadata(file: &TranscriptFile) -> Option<SessionEntry> {
    let subpath = file.subpath.as_ref()?;
    let content = fs::read_to_string(subagents::metadata_path(&file.path)).ok()?;
    Some(SessionEntry::at(subpath, metadata_entry(&content)?))
}

/// Returns the path of a transcript below the session, with `/` and without its extension.
fn subpath(dir: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(dir).ok()?.with_extension("");
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}
