//! Streams that read transcripts in batches.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::error::Result;

/// Number of bytes after which a batch is complete.
pub(super) const BATCH: usize = 256 * 1024;

/// A reader of batches.
pub(super) trait Source: Send + Sized + 'static {
    type Item: Send + 'static;

    /// Reads the next items. An empty batch is the end.
    fn read(self) -> impl Future<Output = Result<(Self, Vec<Self::Item>)>> + Send;
}

type Reading<S> = Pin<Box<dyn Future<Output = Result<(S, Vec<<S as Source>::Item>)>> + Send>>;

/// A stream of items that a [`Source`] reads, one batch at a time and only when the last one is used up.
pub(super) struct Batches<S: Source> {
    queue: VecDeque<S::Item>,
    /// The batch that is being read; `None` after the end or an error.
    reading: Option<Reading<S>>,
}

impl<S: Source> Batches<S> {
    /// Creates a stream from a future that opens the source. Nothing is opened before the first poll.
    pub(super) fn new(open: impl Future<Output = Result<S>> + Send + 'static) -> Self {
        Self {
            queue: VecDeque::new(),
            reading: Some(Box::pin(async move { open.await?.read().await })),
        }
    }

    pub(super) fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<S::Item>>> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            let Some(reading) = &mut self.reading else {
                return Poll::Ready(None);
            };
            let read = ready!(reading.as_mut().poll(cx));
            self.reading = None;
            match read {
                Ok((_, items)) if items.is_empty() => return Poll::Ready(None),
                Ok((source, items)) => {
                    self.queue = items.into();
                    self.reading = Some(Box::pin(source.read()));
                }
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}
