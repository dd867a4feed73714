use std::ops::Range;

use memchr::memchr;
use rustix::fd::AsFd;
use rustix::io::{read, write};

use super::Failure;

const CHUNK: usize = 64 * 1024;

/// Lines from a file descriptor, read with as few system calls as its writer allows.
pub struct Lines<F> {
    source: F,
    buffer: Vec<u8>,
    /// The bytes that were read and not returned yet.
    filled: Range<usize>,
    /// The length of the part of `filled` that has no line end.
    searched: usize,
}

impl<F: AsFd> Lines<F> {
    /// Creates a reader of lines.
    pub fn new(source: F) -> Self {
        Self {
            source,
            buffer: vec![0; 2 * CHUNK],
            filled: 0..0,
            searched: 0,
        }
    }

    /// Returns the next line without its end, or `None` at the end of the input.
    ///
    /// # Errors
    /// Returns an error if the source cannot be read.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, Failure> {
        loop {
            let unseen = self.filled.start + self.searched;
            if let Some(length) = memchr(b'\n', &self.buffer[unseen..self.filled.end]) {
                let line = self.filled.start..unseen + length;
                self.filled.start = line.end + 1;
                self.searched = 0;
                return Ok(Some(&self.buffer[line]));
            }
            self.searched = self.filled.len();
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self) -> Result<usize, Failure> {
        if self.filled.is_empty() {
            self.filled = 0..0;
        }
        if self.buffer.len() - self.filled.end < CHUNK {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
            if self.buffer.len() - self.filled.end < CHUNK {
                self.buffer.resize(2 * self.buffer.len(), 0);
            }
        }
        let count = read(&self.source, &mut self.buffer[self.filled.end..])
            .map_err(|cause| Failure::of("reading", cause))?;
        self.filled.end += count;
        Ok(count)
    }
}

/// Writes all bytes, with one system call if the pipe has room.
pub(super) fn write_whole(target: impl AsFd, mut bytes: &[u8]) -> Result<(), Failure> {
    while !bytes.is_empty() {
        let count = write(&target, bytes).map_err(|cause| Failure::of("writing", cause))?;
        bytes = &bytes[count..];
    }
    Ok(())
}
