//! The queue of unread messages between the driver and the reader.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use inhouse_proto::engine::Frame;
use inhouse_proto::message::{Gap, GapReason};
use tokio::task::coop;

use crate::error::Error;
use crate::mirror::Mark;
use crate::session::driver_dropped;

/// Creates a queue that never blocks the driver.
///
/// Unread lines are kept up to `limit` bytes of memory, or all of them if there is no limit. Above it
/// lines are dropped and counted, and a [`Gap`] takes their place in the stream. A line that ends a
/// turn is always kept, so that a late reader still finds the results of its turns.
pub(crate) fn backlog(limit: Option<usize>) -> (Sender, Receiver) {
    let shared = Arc::new(Mutex::new(Queue {
        slots: VecDeque::new(),
        released: 0,
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

/// An element of the queue.
#[derive(Debug)]
pub(crate) enum Item {
    /// A line of the CLI.
    Message(Frame),
    /// Lines that are missing at this place. Boxed, because it is rare and larger than the others.
    Gap(Box<Gap>),
    /// The run of the last prompt has ended; `answered` says whether its result was read.
    RunEnded { answered: bool },
}

/// The driver's end of the queue.
///
/// Items are batched until [`flush`](Self::flush), so that the reader is woken once for all lines of
/// one read. Dropping the sender without [`end`](Self::end), as happens when the driver's runtime
/// shuts down, ends the stream with an error.
pub(crate) struct Sender {
    queue: Arc<Mutex<Queue>>,
    batch: Vec<Slot>,
}

/// A place in the queue.
enum Slot {
    Item(Item),
    /// Holds back everything behind it until this mark is released.
    Barrier(Mark),
}

/// The reader's end of the queue.
pub(crate) struct Receiver(Arc<Mutex<Queue>>);

struct Queue {
    /// Unread items, readable or held back: all count toward the limit.
    slots: VecDeque<Slot>,
    /// The mark up to which the store has everything.
    released: Mark,
    /// The memory that the items hold, without the queue's own allocation.
    bytes: usize,
    limit: Option<usize>,
    /// Lines dropped since the last item was appended.
    dropped: Option<Box<Gap>>,
    /// Set at the end of the stream, with the error that the reader gets last.
    end: Option<Option<Error>>,
    reader: Reader,
}

enum Reader {
    Present(Option<Waker>),
    Gone,
}

impl Sender {
    /// Adds an item to the batch.
    pub(crate) fn push(&mut self, item: Item) {
        self.batch.push(Slot::Item(item));
    }

    /// Holds back the items that are pushed from now on until `mark` is released.
    pub(crate) fn hold_until(&mut self, mark: Mark) {
        self.batch.push(Slot::Barrier(mark));
    }

    /// Lets the reader have the held items behind barriers up to `mark`.
    pub(crate) fn release(&mut self, mark: Mark) {
        self.flush();
        let mut queue = lock(&self.queue);
        queue.released = mark;
        // A store reports every append. The reader is woken only if it waits at a barrier that is now open.
        if matches!(queue.slots.front(), Some(Slot::Barrier(barrier)) if *barrier <= mark) {
            wake(queue);
        }
    }

    /// Returns whether items are held back.
    pub(crate) fn has_held(&mut self) -> bool {
        self.flush();
        lock(&self.queue).first_held().is_some()
    }

    /// Drops the held items; returns the last result among them.
    pub(crate) fn discard_held(&mut self) -> Option<Frame> {
        self.flush();
        let held = lock(&self.queue).take_held().into_iter().rev();
        held.filter_map(|slot| match slot {
            Slot::Item(Item::Message(frame)) => Some(frame),
            _ => None,
        })
        .find(Frame::ends_turn)
    }

    /// Moves the batch to the queue and wakes the reader.
    pub(crate) fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let mut queue = lock(&self.queue);
        for next in self.batch.drain(..) {
            match next {
                Slot::Item(Item::Message(frame)) => queue.message(frame),
                Slot::Item(Item::Gap(gap)) => queue.gap(gap),
                Slot::Item(Item::RunEnded { .. }) | Slot::Barrier(_) => queue.push(next),
            }
        }
        wake(queue);
    }

    /// Removes the ends of earlier runs, which a new prompt makes obsolete.
    pub(crate) fn discard_run_ends(&mut self) {
        self.flush();
        let mut queue = lock(&self.queue);
        queue
            .slots
            .retain(|slot| !matches!(slot, Slot::Item(Item::RunEnded { .. })));
    }

    /// Ends the stream, with an error as the last item if there is one.
    ///
    /// Items that are still held are dropped: the store does not have what was before them.
    pub(crate) fn end(&mut self, error: Option<Error>) {
        self.flush();
        let mut queue = lock(&self.queue);
        let _held = queue.take_held();
        queue.end = Some(error);
        wake(queue);
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if lock(&self.queue).end.is_none() {
            self.end(Some(driver_dropped()));
        }
    }
}

impl Receiver {
    /// Returns the next item; at the end the error, if there is one, and then `None`.
    ///
    /// Consumes tokio's cooperative budget, so that a task which reads a long backlog in a loop
    /// yields to other tasks.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Item, Error>>> {
        let budget = ready!(coop::poll_proceed(cx));
        let next = lock(&self.0).poll_next(cx);
        if next.is_ready() {
            budget.made_progress();
        }
        next
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.reader = Reader::Gone;
        queue.bytes = 0;
        let slots = mem::take(&mut queue.slots);
        // The lock is released first: dropping many items takes long.
        drop(queue);
        drop(slots);
    }
}

impl Queue {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Item, Error>>> {
        while let Some(slot) = self.slots.pop_front() {
            match slot {
                Slot::Item(item) => {
                    self.bytes -= size(&item);
                    return Poll::Ready(Some(Ok(item)));
                }
                Slot::Barrier(mark) if mark > self.released => {
                    self.slots.push_front(slot);
                    return self.wait(cx);
                }
                Slot::Barrier(_) => {}
            }
        }
        if let Some(gap) = self.dropped.take() {
            return Poll::Ready(Some(Ok(Item::Gap(gap))));
        }
        match &mut self.end {
            Some(error) => Poll::Ready(error.take().map(Err)),
            None => self.wait(cx),
        }
    }

    fn wait<T>(&mut self, cx: &Context<'_>) -> Poll<T> {
        self.reader = Reader::Present(Some(cx.waker().clone()));
        Poll::Pending
    }

    /// Returns the place of the first barrier that holds items back.
    fn first_held(&self) -> Option<usize> {
        let is_barrier = |slot: &Slot| matches!(slot, Slot::Barrier(mark) if *mark > self.released);
        self.slots.iter().position(is_barrier)
    }

    /// Removes the held items and their barriers.
    fn take_held(&mut self) -> VecDeque<Slot> {
        let Some(first) = self.first_held() else {
            return VecDeque::new();
        };
        let held = self.slots.split_off(first);
        self.bytes -= held.iter().map(slot_size).sum::<usize>();
        // Lines that were dropped behind a barrier were held, too.
        self.dropped = None;
        held
    }

    fn message(&mut self, mut frame: Frame) {
        if matches!(self.reader, Reader::Gone) {
            return;
        }
        if self.is_full_for(frame.held()) && !frame.ends_turn() {
            return self.drop_lines(1, frame.line().len() as u64);
        }
        // Copied out of the read buffer where it is small, so that an unread line does not keep the
        // whole buffer allocated.
        frame.detach();
        self.push(Slot::Item(Item::Message(frame)));
    }

    fn gap(&mut self, gap: Box<Gap>) {
        if self.dropped.is_none() && self.extend_last_gap(&gap) {
            return;
        }
        match self.is_full_for(gap_size(&gap)) {
            true => self.drop_lines(gap.lines, gap.bytes),
            false => self.push(Slot::Item(Item::Gap(gap))),
        }
    }

    fn push(&mut self, slot: Slot) {
        if matches!(self.reader, Reader::Gone) {
            return;
        }
        if let Some(dropped) = self.dropped.take()
            && !self.extend_last_gap(&dropped)
        {
            self.append(Slot::Item(Item::Gap(dropped)));
        }
        self.append(slot);
    }

    /// Adds a gap to the last item if that is a gap for the same reason; returns whether it is. An
    /// endless series of gaps then takes constant memory.
    fn extend_last_gap(&mut self, gap: &Gap) -> bool {
        match self.slots.back_mut() {
            Some(Slot::Item(Item::Gap(last))) if last.reason == gap.reason => {
                last.lines += gap.lines;
                last.bytes += gap.bytes;
                true
            }
            _ => false,
        }
    }

    fn append(&mut self, slot: Slot) {
        self.bytes += slot_size(&slot);
        self.slots.push_back(slot);
    }

    /// Returns whether `size` more bytes exceed the limit. An empty queue accepts any line, however
    /// long, so a reader that keeps up loses nothing.
    fn is_full_for(&self, size: usize) -> bool {
        // The gap for lines dropped before is added together with the next item.
        let pending = self.dropped.as_deref().map_or(0, gap_size);
        self.bytes > 0
            && self
                .limit
                .is_some_and(|limit| self.bytes + pending + size > limit)
    }

    fn drop_lines(&mut self, lines: u64, bytes: u64) {
        let gap = self
            .dropped
            .get_or_insert_with(|| Box::new(Gap::new(GapReason::BacklogFull, 0, 0)));
        gap.lines += lines;
        gap.bytes += bytes;
    }
}

fn slot_size(slot: &Slot) -> usize {
    match slot {
        Slot::Item(item) => size(item),
        Slot::Barrier(_) => 0,
    }
}

/// Returns the memory that an item holds outside of the queue.
fn size(item: &Item) -> usize {
    match item {
        Item::Message(frame) => frame.held(),
        Item::Gap(gap) => gap_size(gap),
        Item::RunEnded { .. } => 0,
    }
}

fn gap_size(gap: &Gap) -> usize {
    size_of::<Gap>() + gap.sample.as_ref().map_or(0, String::capacity)
}

/// Wakes the reader after releasing the lock: a waker may drop the task that it wakes, and with it
/// the [`Receiver`], which takes the lock again.
fn wake(mut queue: MutexGuard<'_, Queue>) {
    let waker = match &mut queue.reader {
        Reader::Present(waker) => waker.take(),
        Reader::Gone => None,
    };
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Locks the queue. No code that holds the lock can panic in the middle of a change.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;
    use crate::error::ErrorKind;

    fn garbage(sample: &str) -> Item {
        let reason = GapReason::NotJson;
        Item::Gap(Box::new(Gap::new(reason, 1, 7).sample(sample)))
    }

    fn too_long() -> Item {
        let gap = Gap::new(GapReason::LineTooLong, 1, 1000);
        Item::Gap(Box::new(gap.sample("x".repeat(200))))
    }

    async fn next(receiver: &mut Receiver) -> Option<Result<Item, Error>> {
        poll_fn(|cx| receiver.poll_next(cx)).await
    }

    #[tokio::test]
    async fn gaps_count_toward_the_limit_and_lose_no_line() {
        const LIMIT: usize = 10_000;
        const ROUNDS: u64 = 1000;
        let (mut sender, mut receiver) = backlog(Some(LIMIT));
        for _ in 0..ROUNDS {
            sender.push(garbage("garbage"));
            sender.push(too_long());
            sender.flush();
            assert!(lock(&sender.queue).bytes <= LIMIT);
        }
        sender.end(None);
        let (mut lines, mut bytes) = (0, 0);
        while let Some(item) = next(&mut receiver).await {
            let Ok(Item::Gap(gap)) = item else {
                panic!("only gaps were sent: {item:?}");
            };
            lines += gap.lines;
            bytes += gap.bytes;
        }
        assert_eq!((lines, bytes), (2 * ROUNDS, 1007 * ROUNDS));
        assert_eq!(lock(&sender.queue).bytes, 0);
    }

    #[tokio::test]
    async fn gap_beyond_the_limit_is_counted_without_its_sample() {
        let (mut sender, mut receiver) = backlog(Some(500));
        sender.push(garbage(&"x".repeat(400)));
        sender.push(too_long());
        sender.end(None);
        let mut reasons = Vec::new();
        while let Some(Ok(Item::Gap(gap))) = next(&mut receiver).await {
            reasons.push((gap.reason, gap.sample.map(|sample| sample.len())));
        }
        let expected = [
            (GapReason::NotJson, Some(400)),
            (GapReason::BacklogFull, None),
        ];
        assert_eq!(reasons, expected);
    }

    #[tokio::test]
    async fn held_items_count_toward_the_limit_and_are_read_when_released() {
        const LIMIT: usize = 10_000;
        let (mut sender, mut receiver) = backlog(Some(LIMIT));
        sender.push(garbage("before"));
        for mark in [1, 2] {
            sender.hold_until(mark);
            for _ in 0..100 {
                // Two kinds in turn, so that they are not merged.
                sender.push(garbage("held"));
                sender.push(too_long());
                sender.flush();
                assert!(lock(&sender.queue).bytes <= LIMIT);
            }
        }
        assert_eq!(lines_now(&mut receiver).await, 1);
        for mark in [1, 2] {
            sender.release(mark);
            assert_eq!(lines_now(&mut receiver).await, 200);
        }
        assert_eq!(lock(&sender.queue).bytes, 0);
    }

    #[test]
    fn reader_is_woken_only_at_an_open_barrier() {
        let (mut sender, mut receiver) = backlog(None);
        let wakes = Arc::new(WakeCount::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut cx = Context::from_waker(&waker);
        assert!(receiver.poll_next(&mut cx).is_pending());
        sender.release(1);
        assert_eq!(wakes.get(), 0, "nothing is held");

        sender.hold_until(3);
        sender.push(garbage("held"));
        sender.flush();
        assert!(receiver.poll_next(&mut cx).is_pending());
        let before = wakes.get();
        sender.release(2);
        assert_eq!(wakes.get(), before, "the barrier is closed");
        sender.release(3);
        assert_eq!(wakes.get(), before + 1);
        assert!(receiver.poll_next(&mut cx).is_ready());
    }

    #[derive(Default)]
    struct WakeCount(AtomicUsize);

    impl WakeCount {
        fn get(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    impl Wake for WakeCount {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn held_items_are_dropped_at_the_end() {
        let (mut sender, mut receiver) = backlog(Some(300));
        sender.push(garbage("before"));
        sender.hold_until(1);
        for _ in 0..10 {
            sender.push(garbage("held"));
            sender.push(too_long());
        }
        assert!(sender.discard_held().is_none(), "no result");
        sender.end(None);
        assert!(matches!(next(&mut receiver).await, Some(Ok(Item::Gap(_)))));
        assert!(next(&mut receiver).await.is_none());
        assert_eq!(lock(&sender.queue).bytes, 0);
    }

    /// Reads what can be read without waiting; returns the number of lines in its gaps.
    async fn lines_now(receiver: &mut Receiver) -> u64 {
        let mut lines = 0;
        poll_fn(|cx| {
            while let Poll::Ready(next) = receiver.poll_next(cx) {
                let Some(Ok(Item::Gap(gap))) = next else {
                    panic!("only gaps were sent: {next:?}");
                };
                lines += gap.lines;
            }
            Poll::Ready(())
        })
        .await;
        lines
    }

    #[tokio::test]
    async fn dropped_sender_ends_the_stream_with_an_error_after_its_items() {
        let (mut sender, mut receiver) = backlog(None);
        sender.push(garbage("garbage"));
        drop(sender);
        assert!(matches!(next(&mut receiver).await, Some(Ok(Item::Gap(_)))));
        let Some(Err(error)) = next(&mut receiver).await else {
            panic!("the stream ended without an error");
        };
        assert_eq!(error.kind(), ErrorKind::Closed);
        assert!(next(&mut receiver).await.is_none());
    }

    #[tokio::test]
    async fn sender_that_has_ended_the_stream_adds_no_error_when_dropped() {
        let (mut sender, mut receiver) = backlog(None);
        sender.end(None);
        drop(sender);
        assert!(next(&mut receiver).await.is_none());
    }
}
