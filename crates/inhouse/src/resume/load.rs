use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_proto::session::{Entry, TranscriptEnds, TranscriptRepair, metadata_content};
use inhouse_store::{Append, Epoch, Position, SessionKey, SessionStore, StreamKey};
use tokio::fs::File;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio::time::sleep;
use uuid::Uuid;

use super::directory::{create_private, private_file};
use super::prompts::{IdentifiedEntry, results_of};
use super::store_error;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::InterruptedCalls;
use crate::mirror::{FILE_HISTORY, FIRST_PAUSE, LONGEST_PAUSE, persist};

/// How many bytes are written to a transcript at once.
const BUFFER: usize = 256 << 10;

/// Writes a session of a store to the configuration directory of the CLI, entry by entry.
pub(super) struct Loader<'a> {
    store: &'a dyn SessionStore,
    session: &'a SessionKey,
    /// The directory of the project.
    project: PathBuf,
    relocation: Option<Relocation>,
    /// What the main transcript has; `None` if no call is missing.
    repair: Option<TranscriptRepair>,
    loaded: Loaded,
}

/// A session as it was loaded.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) ends: HashMap<StreamKey, Position>,
    /// The ids of the prompts, together with those of other messages of the user's side.
    pub(super) prompts: HashSet<Uuid>,
    /// Both ends of the main transcript.
    pub(super) transcript: TranscriptEnds,
    /// The last entry with an id of the main stream.
    pub(super) last_entry: Option<IdentifiedEntry>,
    /// The last message of the main transcript. Other entries precede the first one: the host may have died in between.
    pub(super) last_message: Option<Position>,
}

/// Returns the ends of the streams of a session that is not loaded.
///
/// A fork and a new session are such. Their first host may have died before a message was stored.
pub(super) async fn ends_of(
    store: &dyn SessionStore,
    session: &SessionKey,
) -> Result<HashMap<StreamKey, Position>> {
    let subpaths = persist(|| store.subpaths(session)).await;
    let mut streams = subpaths.map_err(store_error)?;
    streams.push(session.main());
    let mut ends = HashMap::new();
    for stream in streams {
        let end = persist(|| store.end(&stream)).await;
        ends.insert(stream, end.map_err(store_error)?);
    }
    Ok(ends)
}

/// The paths of files in the transcript of a session that becomes another one.
struct Relocation {
    /// The directory with the files of the session before, as JSON text without quotation marks.
    before: String,
    after: String,
    /// The id of the new session.
    session: String,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        store: &'a dyn SessionStore,
        session: &'a SessionKey,
        directory: &Path,
    ) -> Self {
        let project = directory.join("projects");
        Self {
            store,
            session,
            project: project.join(session.project().as_str()),
            relocation: None,
            repair: None,
            loaded: Loaded::default(),
        }
    }

    /// Becomes the owner of the session.
    pub(super) async fn fence(&self) -> Result<Epoch> {
        let epoch = persist(|| self.store.fence(self.session, None)).await;
        epoch.map_err(store_error)
    }

    /// Makes the files of the session those of a fork, and changes their paths in the transcript accordingly.
    pub(super) fn relocate_to(&mut self, fork: &SessionKey) {
        let (before, after) = (self.session.session(), fork.session());
        let files = self.project.join(after);
        // The directories differ only in the id of the session, which occurs in them twice.
        let files = serde_json::to_string(&files.to_string_lossy()).unwrap_or_default();
        let files = files.trim_matches('"');
        self.relocation = Some(Relocation {
            before: files.replace(after, before),
            after: files.to_owned(),
            session: after.to_owned(),
        });
    }

    /// Writes the transcripts and the files of the session.
    ///
    /// The calls that the transcript lacks are added, and appended to the store under the epoch. Without an epoch the
    /// session becomes another one, whose transcript is stored as a whole.
    pub(super) async fn load(
        mut self,
        calls: InterruptedCalls<'_>,
        epoch: Option<Epoch>,
        cwd: &Path,
    ) -> Result<Loaded> {
        let id = self.session.session();
        let directory = self.project.join(id);
        let main = self.session.main();
        let path = self.project.join(format!("{id}.jsonl"));
        let repair = || TranscriptRepair::new(id).cwd(cwd.to_string_lossy());
        self.repair = (!calls.is_empty()).then(repair);
        let mut transcript = Transcript::create(path.clone()).await?;
        let mut end = self.load_stream(&main, &mut transcript).await?;
        if let Some(mut repair) = self.repair.take() {
            let missing = calls.entries(&mut repair, epoch).await?;
            let append = epoch.map(|epoch| Append::new(epoch, end, missing.iter().cloned()));
            for entry in &missing {
                self.write_entry(&mut transcript, &main, end, entry).await?;
                end = end.after(1);
            }
            if let Some(append) = append {
                let appended = persist(|| self.store.append(&main, &append)).await;
                appended.map_err(store_error)?;
            }
            self.loaded.ends.insert(main, end);
        }
        transcript.finish().await?;
        if self.loaded.last_message.is_none() {
            // The CLI neither resumes such a transcript nor begins a session whose transcript exists (2.1.325).
            let removed = tokio::fs::remove_file(&path).await;
            removed.map_err(|error| failed(&path, error))?;
        }
        let subpaths = persist(|| self.store.subpaths(self.session)).await;
        let results = results_of(self.session);
        for stream in subpaths.map_err(store_error)? {
            if stream == results {
                let end = persist(|| self.store.end(&stream))
                    .await
                    .map_err(store_error)?;
                self.loaded.ends.insert(stream, end);
            } else if let Some(subpath) = stream.subpath() {
                let path = directory.join(format!("{subpath}.jsonl"));
                let mut transcript = Transcript::create(path).await?;
                self.load_stream(&stream, &mut transcript).await?;
                transcript.finish().await?;
            }
        }
        self.load_files().await?;
        Ok(self.loaded)
    }

    /// Writes a stream. After an error of the store it continues behind the entries that are written.
    async fn load_stream(
        &mut self,
        stream: &StreamKey,
        transcript: &mut Transcript,
    ) -> Result<Position> {
        let mut end = Position::START;
        let mut pause = FIRST_PAUSE;
        'load: loop {
            let mut entries = self.store.load(stream, end);
            while let Some(entry) = poll_fn(|cx| entries.as_mut().poll_next(cx)).await {
                match entry {
                    Ok(entry) => self.write_entry(transcript, stream, end, &entry).await?,
                    Err(error) if !error.is_retryable() => return Err(store_error(error)),
                    Err(error) => {
                        tracing::warn!(%error, "session store failed, trying again");
                        sleep(pause).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                        continue 'load;
                    }
                }
                end = end.after(1);
            }
            break;
        }
        self.loaded.ends.insert(stream.clone(), end);
        Ok(end)
    }

    async fn write_entry(
        &mut self,
        transcript: &mut Transcript,
        stream: &StreamKey,
        position: Position,
        entry: &Bytes,
    ) -> Result<()> {
        let text = String::from_utf8_lossy(entry);
        if !stream.is_main()
            && let Some(metadata) = metadata_content(&text)
        {
            transcript.metadata = Some(metadata);
            return Ok(());
        }
        if stream.is_main() {
            self.loaded.transcript.push(entry);
            if let Some(entry) = Entry::read(&text) {
                self.note_main_entry(position, &entry);
            }
        }
        match &self.relocation {
            Some(relocation) if text.contains(&relocation.before) => {
                let text = text.replace(&relocation.before, &relocation.after);
                transcript.write(text.as_bytes()).await
            }
            _ => transcript.write(entry).await,
        }
    }

    fn note_main_entry(&mut self, position: Position, entry: &Entry<'_>) {
        let Some(identified) = IdentifiedEntry::new(position, entry) else {
            return;
        };
        self.loaded.last_entry = Some(identified);
        if entry.is_message() {
            self.loaded.last_message = Some(position);
        }
        if entry.tag == "user"
            && let Some(Ok(uuid)) = entry.uuid.as_deref().map(Uuid::try_parse)
        {
            self.loaded.prompts.insert(uuid);
        }
        if let Some(repair) = &mut self.repair {
            repair.push(entry);
        }
    }

    /// Returns the directory with backups of the session. A fork finds them below the id of the resumed session.
    fn file_history(&self) -> PathBuf {
        // `<config>/projects/<project>`
        let config = self.project.ancestors().nth(2).unwrap_or(&self.project);
        config.join(FILE_HISTORY).join(self.session.session())
    }

    async fn load_files(&self) -> Result<()> {
        let id = match &self.relocation {
            Some(relocation) => &relocation.session,
            None => self.session.session(),
        };
        let directory = self.project.join(id);
        let files = persist(|| self.store.files(self.session)).await;
        for file in files.map_err(store_error)? {
            let content = persist(|| self.store.file(self.session, &file.path)).await;
            let Some(content) = content.map_err(store_error)? else {
                continue;
            };
            let backup = match file.path.as_str().split_once('/') {
                Some((FILE_HISTORY, name)) => Some(self.file_history().join(name)),
                _ => None,
            };
            let is_backup = backup.is_some();
            let path = backup.unwrap_or_else(|| directory.join(file.path.as_str()));
            let written = write_file(&path, &content, is_backup).await;
            written.map_err(|error| failed(&path, error))?;
        }
        Ok(())
    }
}

async fn write_file(path: &Path, content: &[u8], is_backup: bool) -> io::Result<()> {
    let mut file = create(path).await?;
    file.write_all(content).await?;
    file.flush().await?;
    if is_backup {
        // The CLI does not restore a file of the same size that is older than its backup (2.1.325).
        let file = file.into_std().await;
        file.set_modified(SystemTime::UNIX_EPOCH)?;
    }
    Ok(())
}

/// A transcript that is being written, and the metadata that belongs beside it.
struct Transcript {
    path: PathBuf,
    file: BufWriter<File>,
    /// The content of the file `….meta.json`: the last metadata of the stream is in effect.
    metadata: Option<String>,
}

impl Transcript {
    async fn create(path: PathBuf) -> Result<Self> {
        let file = create(&path).await.map_err(|error| failed(&path, error))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(BUFFER, file),
            metadata: None,
        })
    }

    async fn write(&mut self, line: &[u8]) -> Result<()> {
        let written = async {
            self.file.write_all(line).await?;
            self.file.write_all(b"\n").await
        };
        written.await.map_err(|error| failed(&self.path, error))
    }

    async fn finish(mut self) -> Result<()> {
        let written = async {
            self.file.flush().await?;
            if let Some(metadata) = &self.metadata {
                let mut file = create(&self.path.with_extension("meta.json")).await?;
                file.write_all(metadata.as_bytes()).await?;
                file.flush().await?;
            }
            Ok(())
        };
        written.await.map_err(|error| failed(&self.path, error))
    }
}

/// Creates a file that only this user can read, and its directories.
async fn create(path: &Path) -> io::Result<File> {
    let path = path.to_owned();
    let created = tokio::task::spawn_blocking(move || {
        if let Some(directory) = path.parent() {
            create_private(directory)?;
        }
        private_file().create(true).truncate(true).open(path)
    });
    Ok(File::from_std(created.await??))
}

fn failed(path: &Path, error: io::Error) -> Error {
    let text = format!("{} cannot be written", path.display());
    Error::new(ErrorKind::Store, text).with_source(error)
}
