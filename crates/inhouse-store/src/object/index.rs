//! The state of a session after all records of its log.

use std::collections::BTreeMap;

use super::record::{Change, Record};
use crate::{Append, Epoch, Position, Result, SessionKey, StoreError, StreamKey};

/// The state of a session after the records of its log so far, without the entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The number of the next record.
    pub(super) next: u64,
    /// The current epoch; `None` before the first owner and after an erasure.
    pub(super) epoch: Option<Epoch>,
    /// The greatest epoch so far.
    pub(super) last_epoch: u64,
    /// The streams by subpath; that of the main stream is empty.
    streams: BTreeMap<String, Vec<Segment>>,
    /// The numbers of the records of erased subpaths that still have their content.
    erased: BTreeMap<String, Vec<u64>>,
    pub(super) files: BTreeMap<String, File>,
    /// The number of the last record with a summary.
    pub(super) summary: Option<u64>,
    /// The last erasure of the session.
    pub(super) marker: Option<Marker>,
}

/// The record that erases a session: the records before it do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Marker {
    pub(super) number: u64,
    /// The greatest epoch before the erasure. Owners after it have greater ones.
    pub(super) epoch: u64,
}

/// The entries of a stream in one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) number: u64,
    pub(super) position: Position,
    pub(super) end: Position,
    epoch: Epoch,
}

/// A file of the session.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) size: u64,
    pub(super) object: String,
}

/// The part of an append that is still valid.
#[derive(Debug, PartialEq)]
pub(super) enum Plan {
    /// All of it is stored.
    Nothing,
    /// All but the first entries is new.
    Skip(usize),
}

impl Index {
    /// Applies the record with this number, which is not less than `next`.
    pub(super) fn apply(&mut self, number: u64, record: Record) {
        self.next = number + 1;
        let epoch = Epoch::new(record.epoch);
        self.last_epoch = self.last_epoch.max(record.epoch);
        match record.change {
            Change::Fence => self.epoch = Some(epoch),
            Change::Append {
                subpath,
                position,
                summary,
                lengths,
            } => {
                if summary.is_some() && subpath.is_none() {
                    self.summary = Some(number);
                }
                let position = Position::new(position);
                let segments = self.streams.entry(subpath.unwrap_or_default());
                segments.or_default().push(Segment {
                    number,
                    position,
                    end: position.after(lengths.len()),
                    epoch,
                });
            }
            Change::File { path, size, object } => {
                self.files.insert(path, File { size, object });
            }
            Change::EraseStream { subpath } => {
                let segments = self.streams.remove(&subpath).unwrap_or_default();
                let numbers = segments.iter().map(|segment| segment.number);
                self.erased.entry(subpath).or_default().extend(numbers);
            }
            Change::Blank => {}
            Change::Erase => {
                *self = Self {
                    next: self.next,
                    last_epoch: self.last_epoch,
                    marker: Some(Marker {
                        number,
                        epoch: record.epoch,
                    }),
                    ..Self::default()
                }
            }
        }
    }

    /// Returns what an append has to write.
    pub(super) fn plan(&self, stream: &StreamKey, append: &Append) -> Result<Plan> {
        self.check(stream.session(), append.epoch)?;
        let end = self.end(stream);
        if append.position > end {
            return Err(StoreError::gap(append.position, end));
        }
        let overlaps = self.segments(stream).iter().any(|segment| {
            segment.epoch != append.epoch
                && segment.position < append.end()
                && segment.end > append.position
        });
        if overlaps {
            return Err(StoreError::conflict(append.position));
        }
        let stored = end.get() - append.position.get();
        match usize::try_from(stored).ok() {
            Some(stored) if stored < append.entries.len() => Ok(Plan::Skip(stored)),
            _ => Ok(Plan::Nothing),
        }
    }

    /// Fails unless `epoch` is the current one.
    pub(super) fn check(&self, session: &SessionKey, epoch: Epoch) -> Result<()> {
        if self.epoch == Some(epoch) {
            return Ok(());
        }
        Err(StoreError::fenced(session, epoch))
    }

    pub(super) fn end(&self, stream: &StreamKey) -> Position {
        let last = self.segments(stream).last();
        last.map_or(Position::START, |segment| segment.end)
    }

    pub(super) fn segments(&self, stream: &StreamKey) -> &[Segment] {
        let segments = self.streams.get(stream.subpath().unwrap_or_default());
        segments.map_or(&[], Vec::as_slice)
    }

    /// Returns the number of a record of an erased subpath that still has its content.
    pub(super) fn next_erased(&self, subpath: &str) -> Option<u64> {
        self.erased.get(subpath)?.last().copied()
    }

    /// Notes that the record which [`next_erased`](Self::next_erased) returned has no content any more.
    pub(super) fn note_blank(&mut self, subpath: &str) {
        if let Some(numbers) = self.erased.get_mut(subpath) {
            numbers.pop();
        }
    }

    pub(super) fn subpaths(&self) -> impl Iterator<Item = &str> {
        let subpaths = self.streams.keys().map(String::as_str);
        subpaths.filter(|subpath| !subpath.is_empty())
    }
}
