//! Reading of transcripts: head and tail, lines, and parts.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;

use inhouse_proto::session::LineSpan;

/// Number of bytes that are read from each end of a transcript for its summary.
const WINDOW: usize = 64 * 1024;

/// Size of the buffer for reading a whole transcript.
const READ_BUFFER: usize = 256 * 1024;

/// Longest line that is read. The CLI cannot write a longer one: it is the longest string of its JavaScript engine.
const MAX_LINE: usize = 1 << 29;

/// Capacity above which the buffer of a long line is released.
const KEPT_LINE: usize = 1 << 20;

/// Opens a transcript for reading.
///
/// Does not follow a symbolic link, and does not wait for a writer if the file is a named pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a transcript with the given options, without following a symbolic link.
pub(super) fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    }
}

/// A buffer for the head and the tail of a transcript, for reuse.
pub(super) struct Windows {
    buffer: Vec<u8>,
    head: usize,
    tail: usize,
}

impl Windows {
    pub(super) fn new() -> Self {
        Self {
            buffer: vec![0; 2 * WINDOW],
            head: 0,
            tail: 0,
        }
    }

    /// Reads the first and the last 64 KiB of a file, or the whole file if it is not longer than both.
    pub(super) fn read(&mut self, file: &mut File, len: u64) -> io::Result<()> {
        (self.head, self.tail) = (0, 0);
        if len <= self.buffer.len() as u64 {
            // Not more than the known length, so that no further read has to find the end.
            self.head = fill(file, &mut self.buffer[..len as usize])?;
            return Ok(());
        }
        let (head, tail) = self.buffer.split_at_mut(WINDOW);
        self.head = fill(file, head)?;
        file.seek(SeekFrom::Start(len - WINDOW as u64))?;
        self.tail = fill(file, tail)?;
        Ok(())
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.buffer[..self.head]
    }

    pub(super) fn tail(&self) -> &[u8] {
        &self.buffer[WINDOW..][..self.tail]
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads the lines of a transcript, up to the length that it had when it was opened.
pub(super) struct LineReader {
    reader: BufReader<Take<File>>,
    line: Vec<u8>,
    offset: u64,
}

impl LineReader {
    pub(super) fn new(file: File, len: u64) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BUFFER, file.take(len)),
            line: Vec::new(),
            offset: 0,
        }
    }

    /// Returns the next line without its line break; `None` at the end. Lines that are too long are skipped.
    pub(super) fn next(&mut self) -> io::Result<Option<(LineSpan, Cow<'_, str>)>> {
        loop {
            if self.line.capacity() > KEPT_LINE {
                self.line = Vec::new();
            }
            self.line.clear();
            let start = self.offset;
            let Some(is_complete) = self.read_line()? else {
                return Ok(None);
            };
            if !is_complete {
                tracing::warn!(
                    offset = start,
                    "skipped a line of a transcript that is too long"
                );
                continue;
            }
            while matches!(self.line.last(), Some(b'\n' | b'\r')) {
                self.line.pop();
            }
            let len = u32::try_from(self.line.len()).expect("shorter than the longest line");
            let line = String::from_utf8_lossy(&self.line);
            return Ok(Some((LineSpan::new(start, len), line)));
        }
    }

    /// Reads a line with its line break; `None` at the end, and `false` if the line is too long.
    fn read_line(&mut self) -> io::Result<Option<bool>> {
        let start = self.offset;
        let mut is_complete = true;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok((self.offset > start).then_some(is_complete));
            }
            let end = memchr::memchr(b'\n', available);
            let taken = end.map_or(available.len(), |end| end + 1);
            is_complete &= self.line.len() + taken <= MAX_LINE;
            if is_complete {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            self.offset += taken as u64;
            if end.is_some() {
                return Ok(Some(is_complete));
            }
        }
    }
}

/// Reads the line at a position.
pub(super) fn read_span(file: &mut File, span: LineSpan) -> io::Result<String> {
    let mut line = vec![0; span.len as usize];
    file.seek(SeekFrom::Start(span.offset))?;
    file.read_exact(&mut line)?;
    Ok(String::from_utf8(line)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
