//! Messages on their way from the driver to the reader.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use inhouse_proto::engine::Frame;
use inhouse_proto::message::{Gap, GapReason};

use crate::error::Error;

/// A queue that never makes the driver wait.
///
/// Up to `limit` bytes of unread lines are kept, or all of them if there is no limit. Above it
/// lines are dropped and counted, and a [`Gap`] takes their place in the stream; a line that ends a
/// turn is always kept, so that a reader which comes back late still finds its turns.
pub(crate) fn backlog(limit: Option<usize>) -> (Sender, Receiver) {
    let shared = Arc::new(Mutex::new(Queue {
        items: VecDeque::new(),
        bytes: 0,
        limit,
        dropped: None,
        end: None,
        reader: Reader::Present(None),
    }));
    let sender = Sender {
        queue: Arc::clone(&shared),
        batch: Vec::new(),
    };
    (sender, Receiver(shared))
}

/// What a reader finds in the queue.
#[derive(Debug)]
pub(crate) enum Item {
    /// A line of the CLI.
    Message(Frame),
    /// Lines that are missing here.
    Gap(Gap),
    /// The run that the last prompt began is over, with a result that was read or without.
    RunEnded { answered: bool },
}

/// The driver's end.
///
/// What it hands over arrives with the next [`flush`](Self::flush): the reader is woken once for all
/// that has been read together.
pub(crate) struct Sender {
    queue: Arc<Mutex<Queue>>,
    batch: Vec<Item>,
}

/// The reader's end.
pub(crate) struct Receiver(Arc<Mutex<Queue>>);

struct Queue {
    items: VecDeque<Item>,
    bytes: usize,
    limit: Option<usize>,
    dropped: Option<Gap>,
    end: Option<Option<Error>>,
    reader: Reader,
}

enum Reader {
    Present(Option<Waker>),
    Gone,
}

impl Sender {
    /// Hands over a line.
    pub(crate) fn message(&mut self, frame: Frame) {
        self.batch.push(Item::Message(frame));
    }

    /// Hands over something that takes no room worth counting.
    pub(crate) fn push(&mut self, item: Item) {
        self.batch.push(item);
    }

    /// Lets the reader have what was handed over.
    pub(crate) fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let mut queue = lock(&self.queue);
        for item in self.batch.drain(..) {
            match item {
                Item::Message(frame) => queue.message(frame),
                item => queue.push(item),
            }
        }
        queue.wake();
    }

    /// Takes note of a prompt: what was told of the end of earlier runs holds no longer.
    pub(crate) fn prompted(&mut self) {
        self.flush();
        let mut queue = lock(&self.queue);
        queue
            .items
            .retain(|item| !matches!(item, Item::RunEnded { .. }));
    }

    /// Ends the stream: cleanly, or with the error that the reader gets last.
    pub(crate) fn end(&mut self, error: Option<Error>) {
        self.flush();
        let mut queue = lock(&self.queue);
        queue.end = Some(error);
        queue.wake();
    }
}

impl Receiver {
    /// The next item; at the end first the error, if there is one, and then nothing.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Item, Error>>> {
        let mut queue = lock(&self.0);
        if let Some(item) = queue.items.pop_front() {
            if let Item::Message(frame) = &item {
                queue.bytes -= frame.line().len();
            }
            return Poll::Ready(Some(Ok(item)));
        }
        if let Some(gap) = queue.dropped.take() {
            return Poll::Ready(Some(Ok(Item::Gap(gap))));
        }
        match &mut queue.end {
            Some(error) => Poll::Ready(error.take().map(Err)),
            None => {
                queue.reader = Reader::Present(Some(cx.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.reader = Reader::Gone;
        queue.items = VecDeque::new();
    }
}

impl Queue {
    fn message(&mut self, frame: Frame) {
        if matches!(self.reader, Reader::Gone) {
            return;
        }
        let size = frame.line().len();
        // An only line is never too many: a reader who keeps up loses nothing, however large it is.
        let full = self.bytes > 0 && self.limit.is_some_and(|limit| self.bytes + size > limit);
        if full && !frame.ends_turn() {
            return self.drop_line(size);
        }
        self.bytes += size;
        self.push(Item::Message(frame));
    }

    fn push(&mut self, item: Item) {
        if matches!(self.reader, Reader::Gone) {
            return;
        }
        if let Some(gap) = self.dropped.take() {
            self.items.push_back(Item::Gap(gap));
        }
        match (self.items.back_mut(), item) {
            // Endless garbage must not take endless room.
            (Some(Item::Gap(last)), Item::Gap(gap)) if last.reason == gap.reason => {
                last.lines += gap.lines;
                last.bytes += gap.bytes;
            }
            (_, item) => self.items.push_back(item),
        }
    }

    fn drop_line(&mut self, size: usize) {
        let gap = self
            .dropped
            .get_or_insert_with(|| Gap::new(GapReason::BacklogFull, 0, 0));
        gap.lines += 1;
        gap.bytes += size as u64;
    }

    fn wake(&mut self) {
        if let Reader::Present(waker) = &mut self.reader
            && let Some(waker) = waker.take()
        {
            waker.wake();
        }
    }
}

/// The queue is only touched in the short functions above, none of which can panic half-way.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
