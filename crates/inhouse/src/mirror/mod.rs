//! Copies the transcript of a session to a [store](inhouse_store::SessionStore).
//!
//! The CLI reports every entry that it adds to a transcript (`transcript_mirror`). The driver hands these frames to a task of
//! their own, so a slow store delays neither messages nor tools nor control requests: only the result of a turn waits, until
//! everything before it is stored.
//!
//! | file | what it holds |
//! |---|---|
//! | `frame` | a frame of the CLI as a stream key and its entries |
//! | `queue` | frames that are not stored yet, in memory or, above a limit, in a temporary file |
//! | `writer` | the task: merges frames, numbers entries, appends, repeats after errors |
//! | `session_files` | files of a session that its transcript refers to |
//! | `unsent` | entries that could not be stored, kept in a directory |

mod frame;
mod queue;
mod session_files;
mod unsent;
mod writer;

use std::sync::Arc;

use inhouse_proto::engine::Frame;
use inhouse_store::SessionStore;
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tracing::Instrument;

pub(crate) use self::unsent::recover;
use self::writer::Writer;
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::options::StoreFlush;

/// The driver's end of the mirror.
pub(crate) struct Mirror {
    input: UnboundedSender<Input>,
    /// How many inputs were sent.
    sent: Mark,
    task: JoinHandle<Result<()>>,
}

/// A number of inputs, counted from the start of the session.
pub(crate) type Mark = u64;

/// What the driver sends to the writer, in the order of the CLI's lines.
enum Input {
    Frame(Frame),
    TurnEnded,
}

impl Mirror {
    /// Starts the writer, which reports its progress as commands of the driver.
    pub(crate) fn spawn(
        store: Arc<dyn SessionStore>,
        flush: StoreFlush,
        driver: WeakUnboundedSender<Command>,
    ) -> Self {
        let (input, received) = unbounded_channel();
        let writer = Writer::new(store, flush, received, driver);
        Self {
            input,
            sent: 0,
            task: tokio::spawn(writer.run().in_current_span()),
        }
    }

    /// Adds a `transcript_mirror` frame.
    pub(crate) fn push(&mut self, mut frame: Frame) {
        frame.detach();
        self.send(Input::Frame(frame));
    }

    /// Notes the end of a turn; returns the mark that is reached when everything before it is stored.
    pub(crate) fn end_turn(&mut self) -> Mark {
        self.send(Input::TurnEnded);
        self.sent
    }

    /// Waits until everything is stored.
    ///
    /// # Errors
    /// `Store` or `Fenced` if something could not be stored.
    pub(crate) async fn finish(self) -> Result<()> {
        drop(self.input);
        self.task.await.unwrap_or_else(|panic| {
            let text = "the session store panicked; what it did not store yet is lost";
            Err(Error::new(ErrorKind::Store, text).with_source(panic))
        })
    }

    fn send(&mut self, input: Input) {
        self.sent += 1;
        // Fails after a panic of the store, which `finish` reports.
        let _ = self.input.send(input);
    }
}
