//! Copies the transcript of a session to a [store](inhouse_store::SessionStore).
//!
//! The CLI reports every entry that it adds to a transcript (`transcript_mirror`). The driver passes these frames to a
//! separate task, so a slow store delays neither messages nor tools nor control requests: only the result of a turn waits, until
//! everything before it is stored.
//!
//! | file | what it holds |
//! |---|---|
//! | `frame` | a frame of the CLI as a stream key and its entries |
//! | `queue` | frames that are not stored yet, in memory or, above a limit, in a temporary file |
//! | `epochs` | the epochs under which this host writes |
//! | `persist` | calls to the store that are repeated after errors |
//! | `writer` | the task: merges frames, numbers entries, appends |
//! | `sessions` | the sessions that a CLI works on, and the records of their results |
//! | `summary` | the summary of a session, from both ends of its transcript |
//! | `session_files` | files of a session that its transcript refers to |
//! | `unsent` | entries that could not be stored, kept in a file |
//! | `recover` | storing them later |

mod epochs;
mod frame;
mod persist;
mod queue;
mod recover;
mod session_files;
mod sessions;
mod summary;
mod unsent;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use inhouse_proto::engine::Frame;
use inhouse_store::SessionStore;
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tracing::Instrument;

pub(crate) use self::epochs::SessionEpochs;
pub(crate) use self::persist::{
    FIRST_PAUSE, LONGEST_PAUSE, StoreCall, caught, persist, read_entries,
};
pub(crate) use self::recover::{recover, recover_as};
pub(crate) use self::session_files::FILE_HISTORY;
pub(crate) use self::summary::StoredSummary;
pub(crate) use self::unsent::{directory_of_unsent, unsent_path, unsent_project};
use self::writer::{StoredStreams, Writer};
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::CallJournal;
use crate::options::StoreFlush;
use crate::resume::{AnsweredPrompts, KnownStreams};
use crate::user_code::Callback;

/// The driver's end of the mirror.
pub(crate) struct Mirror {
    input: UnboundedSender<Input>,
    /// How many inputs were sent.
    sent: Mark,
    /// The prompts that no result has followed.
    prompts: Vec<String>,
    /// The turns that were cut off, and are being continued.
    continued: Vec<ContinuedTurn>,
    /// Whether a result has named the prompts that it answers.
    results_name_prompts: bool,
    /// `None` if the store has no journal.
    journal: Option<Arc<CallJournal>>,
    task: JoinHandle<Result<()>>,
}

/// A turn that was cut off, and is being continued.
struct ContinuedTurn {
    /// The ids of its prompts.
    prompts: Vec<String>,
    /// The prompt that continues it; `None` if the CLI does that by itself when it starts.
    by: Option<String>,
}

/// A step of the caller that is completed before a result is stored.
pub(crate) type BeforeResult = Callback<(), ()>;

/// A number of inputs, counted from the start of the session.
pub(crate) type Mark = u64;

/// An input of the writer. The driver sends them in the order of the CLI's lines.
enum Input {
    Frame(Frame),
    Result(TurnResult),
    /// A frame that was skipped, because it is too long or not JSON.
    Lost,
}

/// A result, and the prompts that it answers.
pub(super) struct TurnResult {
    pub(super) line: String,
    pub(super) prompts: Vec<String>,
}

impl Mirror {
    /// Starts the writer, which reports its progress as commands of the driver.
    ///
    /// `directory` is that of the session. Entries that cannot be stored are written to a file beside it.
    pub(crate) fn spawn(
        store: Arc<dyn SessionStore>,
        streams: KnownStreams,
        directory: PathBuf,
        flush: StoreFlush,
        before_result: Option<BeforeResult>,
        journal: Option<Arc<CallJournal>>,
        driver: WeakUnboundedSender<Command>,
    ) -> Self {
        let (input, received) = unbounded_channel();
        let streams = StoredStreams {
            store,
            known: streams,
            directory,
            before_result,
        };
        let writer = Writer::new(streams, flush, received, driver.clone());
        let writer = tokio::spawn(writer.run().in_current_span());
        let task = async move {
            writer.await.unwrap_or_else(|panic| {
                let text =
                    "the task that stores the session panicked; what it did not store yet is lost";
                let error = Error::new(ErrorKind::Store, text).with_source(panic);
                // Without it, the result that waits for the store would wait forever.
                if let Some(driver) = driver.upgrade() {
                    let _ = driver.send(Command::Mirrored(Err(error.clone())));
                }
                Err(error)
            })
        };
        Self {
            input,
            sent: 0,
            prompts: Vec::new(),
            continued: Vec::new(),
            results_name_prompts: false,
            journal,
            task: tokio::spawn(task),
        }
    }

    /// Adds a `transcript_mirror` frame.
    pub(crate) fn push(&mut self, mut frame: Frame) {
        frame.detach();
        if let Some(journal) = &self.journal {
            journal.note_frame(frame.line(), self.sent + 1);
        }
        self.send(Input::Frame(frame));
    }

    /// Notes a message of the CLI.
    pub(crate) fn note_message(&self, message: &Frame) {
        if let Some(journal) = &self.journal {
            journal.note_message(message.line());
        }
    }

    /// Notes the session that the CLI works on.
    pub(crate) fn note_session(&self, id: &str) {
        if let Some(journal) = &self.journal {
            journal.note_session(id);
        }
    }

    /// Notes that the store has everything up to a mark.
    pub(crate) fn note_stored(&self, mark: Mark) {
        if let Some(journal) = &self.journal {
            journal.note_stored(mark);
        }
    }

    /// Ends the mirror with an error: without the skipped frame the stored transcript would have a hole.
    pub(crate) fn note_lost_frame(&mut self) {
        self.send(Input::Lost);
    }

    /// Notes a prompt that is sent. One that starts no turn has no result.
    pub(crate) fn note_prompt(&mut self, uuid: String, prompt: &str, starts_turn: bool) {
        if let Some(journal) = &self.journal {
            journal.note_prompt(&uuid, prompt);
        }
        if starts_turn {
            self.prompts.push(uuid);
        }
    }

    /// Notes that the turn of these prompts was cut off and is continued: by another prompt, or by the CLI itself.
    pub(crate) fn note_continued(&mut self, prompts: Vec<String>, by: Option<String>) {
        self.continued.push(ContinuedTurn { prompts, by });
    }

    /// Adds the result of a turn; returns the mark that is reached when everything up to it is stored.
    pub(crate) fn end_turn(&mut self, result: &Frame) -> Mark {
        let line = result.line().trim().to_owned();
        let named = self.answered_by(&line);
        if let Some(journal) = &self.journal {
            journal.note_turn_end(self.sent + 1);
        }
        self.send(Input::Result(TurnResult {
            line,
            prompts: named,
        }));
        self.sent
    }

    /// Returns the prompts that a result answers, also those whose cut-off turns it completes.
    fn answered_by(&mut self, result: &str) -> Vec<String> {
        let mut named = AnsweredPrompts::read(result);
        self.results_name_prompts |= !named.is_empty();
        // A turn that the CLI continues by itself has no prompt that was sent to this CLI.
        let is_of_prompt = named.iter().any(|named| self.prompts.contains(named));
        let awaited = self.continued.iter().position(|turn| turn.by.is_none());
        if let Some(awaited) = awaited.filter(|_| !is_of_prompt) {
            named.extend(self.continued.remove(awaited).prompts);
        } else if named.is_empty() && !self.results_name_prompts {
            // CLI 2.1.197 names no prompts. With a newer one, such a result is that of a turn without a prompt.
            named.extend(self.prompts.first().cloned());
        }
        self.prompts.retain(|prompt| !named.contains(prompt));
        self.continued.retain(|turn| {
            let is_answered = turn.by.as_ref().is_some_and(|by| named.contains(by));
            if is_answered {
                named.extend(turn.prompts.iter().cloned());
            }
            !is_answered
        });
        named.sort();
        named.dedup();
        named
    }

    /// Waits until everything is stored.
    ///
    /// # Errors
    /// `Store` or `Fenced` if something could not be stored.
    pub(crate) async fn finish(self) -> Result<()> {
        drop(self.input);
        self.task.await.unwrap_or_else(|error| {
            let text = "the runtime was shut down before everything was stored";
            Err(Error::new(ErrorKind::Store, text).with_source(error))
        })
    }

    fn send(&mut self, input: Input) {
        self.sent += 1;
        // Fails after a panic of the store, which `finish` reports.
        let _ = self.input.send(input);
    }
}
