use std::collections::{HashMap, HashSet};
use std::future::{Future, pending, poll_fn};
use std::mem;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use inhouse_proto::session::TranscriptEnds;
use inhouse_store::{
    Append, Position, SessionKey, SessionStore, StoreError, StoreErrorKind, StreamKey,
};
use memchr::memmem;
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};

use super::epochs::SessionEpochs;
use super::frame::{Entries, TranscriptHome};
use super::persist::persist;
use super::queue::{Batch, Queue};
use super::session_files::{FILE_HISTORY, SessionFiles, TOOL_RESULTS};
use super::sessions::MirroredSessions;
use super::summary::StoredSummary;
use super::unsent::{Unsent, UnsentEntries, unsent_path};
use super::{BeforeResult, Input, Mark, TurnResult};
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::options::StoreFlush;
use crate::resume::KnownStreams;

/// How many inputs are taken from the channel at once.
const RECEIVED: usize = 64;

/// The task that stores what the driver sends.
///
/// One batch is being stored at any time; the frames that arrive meanwhile are merged into the next one.
pub(super) struct Writer {
    flush: StoreFlush,
    input: UnboundedReceiver<Input>,
    driver: WeakUnboundedSender<Command>,
    queue: Queue,
    /// `None` once the first batch is stored.
    streams: Option<StoredStreams>,
    /// The directory of the session.
    directory: PathBuf,
}

/// The session in its store before the first batch.
pub(super) struct StoredStreams {
    pub(super) store: Arc<dyn SessionStore>,
    pub(super) known: KnownStreams,
    /// The directory of the session.
    pub(super) directory: PathBuf,
    pub(super) before_result: Option<BeforeResult>,
}

/// Why the writer ended.
enum Failure {
    Store(Box<StoreFailure>),
    /// The step before a result failed, for this reason. Everything before the result is stored.
    BeforeResult(String),
}

/// A failure of the store, and what it did not store.
struct StoreFailure {
    error: StoreError,
    ends: HashMap<StreamKey, Position>,
    sessions: MirroredSessions,
    /// The sessions that this host owned.
    owned: Vec<SessionKey>,
    unsent: Vec<UnsentEntries>,
    /// Whether a result counts only after a step of the caller.
    has_step: bool,
}

impl Writer {
    pub(super) fn new(
        streams: StoredStreams,
        flush: StoreFlush,
        input: UnboundedReceiver<Input>,
        driver: WeakUnboundedSender<Command>,
    ) -> Self {
        Self {
            flush,
            input,
            driver,
            queue: Queue::new(TranscriptHome {
                project: streams.known.session.project().clone(),
                config: streams.directory.clone(),
            }),
            directory: streams.directory.clone(),
            streams: Some(streams),
        }
    }

    /// Stores inputs until the driver has dropped its end and nothing is left.
    pub(super) async fn run(mut self) -> Result<()> {
        let failure = match self.store_all().await {
            Ok(()) => return Ok(()),
            Err(Failure::Store(failure)) => failure,
            Err(Failure::BeforeResult(reason)) => {
                let text = format!("the result was not stored, so the session was ended: {reason}");
                let error = Error::new(ErrorKind::Store, text);
                self.report(Err(error.clone()));
                return Err(error);
            }
        };
        let source = failure.error;
        if let Some(text) = loss_of(&source) {
            let error = Error::new(ErrorKind::Fenced, text).with_source(source);
            self.report(Err(error.clone()));
            return Err(error);
        }
        let mut unsent = Unsent::new(failure.ends, failure.sessions, failure.has_step);
        let path = unsent_path(&self.directory);
        let error = match unsent.create(&path, &failure.owned, failure.unsent) {
            Ok(()) => format!(
                "the session store failed, so the session was ended; what was not stored is in {}, and \
                 `sessions::recover` stores it later",
                self.directory.display()
            ),
            Err(error) => format!(
                "the session store failed, so the session was ended; what was not stored is lost, because it \
                 could not be written to a file either: {error}"
            ),
        };
        let error = Error::new(ErrorKind::Store, error).with_source(source);
        self.report(Err(error.clone()));
        // The last frames of the CLI.
        while let Some(input) = self.input.recv().await {
            self.queue.push(input).await;
        }
        if let Err(error) = unsent.add_all(&mut self.queue).await {
            tracing::error!(%error, "transcript entries are lost");
        }
        Err(error)
    }

    async fn store_all(&mut self) -> Result<(), Failure> {
        let mut idle = match self.streams.take() {
            Some(streams) => Some(Streams::new(streams).await),
            None => None,
        };
        let mut storing = None;
        let mut inputs = Vec::new();
        let mut input_ended = false;
        loop {
            let is_due = match self.flush {
                StoreFlush::EachFrame => true,
                StoreFlush::EndOfTurn => input_ended || self.queue.is_due(),
            };
            if is_due
                && !self.queue.is_empty()
                && let Some(streams) = idle.take()
            {
                let batch = self.queue.take().await;
                storing = Some(Box::pin(streams.store(batch)));
            }
            if input_ended && storing.is_none() {
                // Background tasks may have written files after the last result.
                if let Some(mut streams) = idle.take()
                    && let Err(error) = streams.store_files().await
                {
                    return Err(streams.failure(error, Vec::new()));
                }
                return Ok(());
            }
            let stored = async {
                match &mut storing {
                    Some(storing) => storing.await,
                    None => pending().await,
                }
            };
            tokio::select! {
                // All that have arrived, so that they share an append.
                count = self.input.recv_many(&mut inputs, RECEIVED), if !input_ended => {
                    input_ended = count == 0;
                    for input in inputs.drain(..) {
                        self.queue.push(input).await;
                    }
                }
                stored = stored => {
                    let (streams, mark) = stored?;
                    (storing, idle) = (None, Some(streams));
                    self.report(Ok(mark));
                }
            }
        }
    }

    /// Reports to the driver how far the store is. After every handle was dropped, no caller waits for it.
    fn report(&self, progress: Result<Mark>) {
        if let Some(driver) = self.driver.upgrade() {
            let _ = driver.send(Command::Mirrored(progress));
        }
    }
}

/// The streams of a session in the store: their owner and their ends.
struct Streams {
    store: Arc<dyn SessionStore>,
    epochs: Arc<SessionEpochs>,
    ends: HashMap<StreamKey, Position>,
    files: SessionFiles,
    before_result: Option<BeforeResult>,
    sessions: MirroredSessions,
    /// Both ends of the main transcript of the session that the CLI works on.
    transcript: TranscriptEnds,
    /// Whether the next append to this transcript has a summary: after the start, and after the end of a turn.
    summary_is_due: bool,
}

impl Streams {
    async fn new(stored: StoredStreams) -> Self {
        let StoredStreams {
            store,
            known,
            directory,
            before_result,
        } = stored;
        let session = known.session;
        let mut files = SessionFiles::default();
        if known.has_stored_files {
            let project = directory.join("projects").join(session.project().as_str());
            files
                .note_loaded(&session, project.join(session.session()))
                .await;
        }
        Self {
            store,
            epochs: known.epochs,
            ends: known.ends,
            files,
            before_result,
            sessions: MirroredSessions::new(session, known.last_entry),
            transcript: known.transcript,
            summary_is_due: true,
        }
    }

    /// Stores a batch; returns its mark.
    async fn store(mut self, batch: std::io::Result<Batch>) -> Result<(Self, Mark), Failure> {
        let mut batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                let text = "a transcript frame of the CLI cannot be read";
                let error = StoreError::new(StoreErrorKind::Corrupt, text).with_source(error);
                return Err(self.failure(error, Vec::new()));
            }
        };
        let ends_turn = !batch.results.is_empty();
        let mut unsent = merged(batch.frames, &mut self.files);
        let owned = self.own_all(&mut unsent, &mut batch.results).await;
        for main in unsent.iter().filter(|unsent| unsent.stream.is_main()) {
            let session = main.stream.session();
            let position = self.end(&main.stream);
            if self.sessions.note(session, position, &main.entries) {
                self.transcript = TranscriptEnds::default();
                self.summary_is_due = true;
            }
            if session == self.sessions.current() {
                main.entries
                    .iter()
                    .for_each(|entry| self.transcript.push(entry));
            }
        }
        self.summary_is_due |= ends_turn;
        let mut records = self.sessions.records(batch.results);
        if self.before_result.is_none() {
            unsent.append(&mut records);
        }
        // After the results were added: they are recovered together with their transcript.
        if let Err(error) = owned {
            return Err(self.failure(error, unsent));
        }
        // Before the entries that refer to them.
        if (ends_turn || refers_to_files(&unsent))
            && let Err(error) = self.store_files().await
        {
            return Err(self.failure(error, unsent));
        }
        if ends_turn && let Some(step) = self.before_result.clone() {
            // The results are not among the unsent entries: they do not count if the step does not follow.
            if let Err(error) = self.append_all(&mut unsent).await {
                return Err(self.failure(error, unsent));
            }
            if let Err(failure) = step.call(|_| (), None).await {
                return Err(Failure::BeforeResult(failure.describe("`before_result`")));
            }
        }
        unsent.extend(records);
        if let Err(error) = self.append_all(&mut unsent).await {
            return Err(self.failure(error, unsent));
        }
        // The CLI adds titles and prompts to the transcript after the result.
        self.summary_is_due |= ends_turn;
        Ok((self, batch.mark))
    }

    /// Becomes the owner of every session of a batch. Removes the entries and results of one that the CLI did not begin.
    async fn own_all(
        &self,
        unsent: &mut Vec<UnsentEntries>,
        results: &mut Vec<TurnResult>,
    ) -> inhouse_store::Result<()> {
        let sessions = unsent.iter().map(|unsent| unsent.stream.session().clone());
        for session in sessions.collect::<HashSet<_>>() {
            if let Err(error) = self.epochs.of(&session).await {
                if error.kind() == StoreErrorKind::Invalid {
                    unsent.retain(|unsent| *unsent.stream.session() != session);
                    results
                        .retain(|result| result.session_id().as_deref() != Some(session.session()));
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Appends to all streams at once, and removes what is stored from `unsent`.
    ///
    /// The order of the streams does not matter: a result whose transcript is not stored does not count.
    async fn append_all(&mut self, unsent: &mut Vec<UnsentEntries>) -> inhouse_store::Result<()> {
        let mut appends: Vec<StreamAppend> = Vec::with_capacity(unsent.len());
        for next in &*unsent {
            let stream = next.stream.clone();
            let epoch = self.epochs.of(stream.session()).await?;
            let position = self.end(&stream);
            let mut append = Append::new(epoch, position, next.entries.iter().cloned());
            if stream == self.sessions.current().main() && mem::take(&mut self.summary_is_due) {
                append.summary = Some(StoredSummary::from(&self.transcript.summary()).encode());
            }
            let store = Arc::clone(&self.store);
            appends.push(Box::pin(async move {
                let end = persist(|| store.append(&stream, &append)).await;
                (stream, end)
            }));
        }
        let mut failed = None;
        // Polled in this task: a task for each append would cost more than the append itself.
        poll_fn(|cx| {
            appends.retain_mut(|append| match append.as_mut().poll(cx) {
                Poll::Pending => true,
                Poll::Ready((stream, Ok(end))) => {
                    unsent.retain(|unsent| unsent.stream != stream);
                    self.ends.insert(stream, end);
                    false
                }
                Poll::Ready((_, Err(error))) => {
                    failed.get_or_insert(error);
                    false
                }
            });
            if appends.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        failed.map_or(Ok(()), Err)
    }

    /// Returns the end of a stream.
    ///
    /// A stream that was not loaded has no entries. If another host has written some meanwhile, the append is a conflict, and nothing is
    /// mixed with them.
    fn end(&self, stream: &StreamKey) -> Position {
        self.ends.get(stream).copied().unwrap_or_default()
    }

    async fn store_files(&mut self) -> inhouse_store::Result<()> {
        for file in self.files.changed().await {
            let Some(content) = file.read().await else {
                continue;
            };
            let epoch = self.epochs.of(&file.session).await?;
            let (session, path) = (&file.session, &file.path);
            persist(|| self.store.put_file(session, epoch, path, content.clone())).await?;
            self.files.note_stored(file);
        }
        Ok(())
    }

    fn failure(self, error: StoreError, unsent: Vec<UnsentEntries>) -> Failure {
        Failure::Store(Box::new(StoreFailure {
            error,
            ends: self.ends,
            sessions: self.sessions,
            owned: self.epochs.owned(),
            unsent,
            has_step: self.before_result.is_some(),
        }))
    }
}

/// Returns why this host has lost the session; `None` for any other error.
fn loss_of(error: &StoreError) -> Option<&'static str> {
    match error.kind() {
        StoreErrorKind::Fenced => {
            Some("another owner has taken over the session, so this one was ended")
        }
        StoreErrorKind::Conflict => {
            Some("another host has written to the session, so this one was ended")
        }
        _ => None,
    }
}

/// Returns whether an entry may name a file of its session.
fn refers_to_files(unsent: &[UnsentEntries]) -> bool {
    let mut entries = unsent.iter().flat_map(|unsent| &unsent.entries);
    entries.any(|entry| {
        let names = |directory: &str| memmem::find(entry, directory.as_bytes()).is_some();
        names(TOOL_RESULTS) || names(FILE_HISTORY)
    })
}

/// Merges frames of the same stream, so that a batch takes one append for each stream.
fn merged(frames: Vec<Entries>, files: &mut SessionFiles) -> Vec<UnsentEntries> {
    let mut merged: Vec<UnsentEntries> = Vec::new();
    for frame in frames {
        files.note(frame.stream.session(), frame.directory);
        match merged.iter_mut().find(|other| other.stream == frame.stream) {
            Some(other) => other.entries.extend(frame.entries),
            None => merged.push(UnsentEntries {
                stream: frame.stream,
                entries: frame.entries,
            }),
        }
    }
    merged
}

/// An append that is repeated until it succeeds or fails for good, and the stream that it extends.
type StreamAppend =
    Pin<Box<dyn Future<Output = (StreamKey, inhouse_store::Result<Position>)> + Send>>;
