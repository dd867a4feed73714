use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::json;

use super::target::OpenTarget;

/// Redacted lines on their way to the target.
///
/// Above [`MEMORY`] bytes they go to a temporary file without a name, until everything before them is written.
pub(super) struct Sink {
    state: Mutex<State>,
    changed: Condvar,
    /// Creates the temporary file.
    create_spill: fn() -> io::Result<File>,
}

impl Default for Sink {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            create_spill: tempfile::tempfile,
        }
    }
}

#[derive(Default)]
struct State {
    memory: Vec<u8>,
    /// Lines behind those in `memory`.
    spill: Option<Spill>,
    /// The time of the last line, in microseconds.
    time: u64,
    is_closed: bool,
    has_failed: bool,
    /// The error of the temporary file; lines before it are still written.
    spill_error: Option<io::Error>,
}

/// The target cannot be written any more.
pub(super) struct SinkFailed;

/// How many bytes are kept in memory.
const MEMORY: usize = 8 << 20;

/// How many bytes are handed over at once, and read from the temporary file.
const CHUNK: usize = 256 << 10;

impl Sink {
    /// Takes lines to write; `lines` is empty afterwards.
    pub(super) fn push(&self, lines: &mut Vec<u8>, time: u64) -> Result<(), SinkFailed> {
        let mut state = self.lock();
        if state.has_failed {
            return Err(SinkFailed);
        }
        if lines.is_empty() {
            return Ok(());
        }
        state.time = time;
        if state.spill.is_none() && state.memory.is_empty() {
            std::mem::swap(&mut state.memory, lines);
        } else if state.spill.is_none() && state.memory.len() + lines.len() <= MEMORY {
            state.memory.append(lines);
        } else if let Err(error) = state.spill(lines, self.create_spill) {
            tracing::error!(%error, "recording stopped: no temporary file for what waits to be written");
            state.has_failed = true;
            state.spill_error = Some(error);
            self.changed.notify_all();
            return Err(SinkFailed);
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Takes lines to write if they are many.
    pub(super) fn push_if_large(&self, lines: &mut Vec<u8>, time: u64) -> Result<(), SinkFailed> {
        match lines.len() >= CHUNK {
            true => self.push(lines, time),
            false => Ok(()),
        }
    }

    /// Ends the lines.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Writes all lines to the target, until they end or cannot be written.
    pub(super) fn write_to(&self, target: OpenTarget) {
        // Dropped after the writer, whose `drop` is code of the user as well.
        let _guard = PanicGuard(self);
        let mut writer = Writer {
            target,
            position: 0,
            complete: 0,
        };
        let mut chunk = Vec::new();
        while let Some(time) = self.take(&mut chunk) {
            if let Err(error) = writer.write(&chunk) {
                tracing::error!(%error, "recording stopped: it cannot be written");
                self.fail();
                return writer.write_stopped(&error, time);
            }
        }
        let mut state = self.lock();
        let (error, time) = (state.spill_error.take(), state.time);
        drop(state);
        if let Some(error) = error {
            writer.write_stopped(&error, time);
        }
    }

    /// Waits for the next lines and moves them to `chunk`; `None` if there are no more.
    fn take(&self, chunk: &mut Vec<u8>) -> Option<u64> {
        chunk.clear();
        let mut state = self.lock();
        loop {
            if !state.memory.is_empty() {
                std::mem::swap(&mut state.memory, chunk);
            } else if let Some(spill) = &mut state.spill {
                match spill.read(chunk) {
                    Ok(()) if spill.read == spill.written => state.spill = None,
                    Ok(()) => {}
                    Err(error) => {
                        tracing::error!(%error, "recording stopped: its temporary file cannot be read");
                        state.has_failed = true;
                        state.spill_error = Some(error);
                        return None;
                    }
                }
            } else if state.is_closed || state.has_failed {
                return None;
            } else {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            return Some(state.time);
        }
    }

    /// Drops all lines, and rejects those that follow; returns whether it did so already.
    fn fail(&self) -> bool {
        let mut state = self.lock();
        state.memory = Vec::new();
        state.spill = None;
        std::mem::replace(&mut state.has_failed, true)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the recording if the writer of the user panics.
struct PanicGuard<'a>(&'a Sink);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.0.fail() {
            tracing::error!("recording stopped: its writer panicked");
        }
    }
}

impl State {
    fn spill(&mut self, lines: &mut Vec<u8>, create: fn() -> io::Result<File>) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::new(create()?)),
        };
        spill.write(lines)?;
        lines.clear();
        Ok(())
    }
}

/// A temporary file whose start was read and whose end is written.
struct Spill {
    file: File,
    read: u64,
    written: u64,
}

impl Spill {
    fn new(file: File) -> Self {
        Self {
            file,
            read: 0,
            written: 0,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Appends the next bytes to `chunk`.
    fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        let length = (self.written - self.read).min(CHUNK as u64);
        self.file.seek(SeekFrom::Start(self.read))?;
        (&self.file).take(length).read_to_end(chunk)?;
        self.read += length;
        Ok(())
    }
}

struct Writer {
    target: OpenTarget,
    /// How many bytes were written.
    position: u64,
    /// The length of the file up to its last complete line.
    complete: u64,
}

impl Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut written = 0;
        let result = loop {
            if written == bytes.len() {
                break self.target.flush();
            }
            match self.target.write(&bytes[written..]) {
                Ok(0) => break Err(ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        if let Some(end) = memchr::memrchr(b'\n', &bytes[..written]) {
            self.complete = self.position + end as u64 + 1;
        }
        self.position += written as u64;
        result
    }

    /// Writes the reason why the recording ends: in the place of an incomplete last line if the target is a file, else only behind a
    /// complete one.
    fn write_stopped(mut self, error: &io::Error, time: u64) {
        // Only the kind: the text of an error may contain anything.
        let reason = json!(error.kind().to_string());
        let line = format!("{{\"t\":{time},\"stopped\":{reason}}}\n");
        // The device may be full or gone: the error that is reported is the first one.
        let _ = match &mut self.target {
            OpenTarget::File(file) => file
                .set_len(self.complete)
                .and_then(|()| file.seek(SeekFrom::Start(self.complete)))
                .and_then(|_| file.write_all(line.as_bytes())),
            OpenTarget::Writer(writer) if self.position == self.complete => writer
                .write_all(line.as_bytes())
                .and_then(|()| writer.flush()),
            OpenTarget::Writer(_) => Ok(()),
        };
    }
}

impl Write for OpenTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Writer(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Writer(writer) => writer.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A writer whose bytes a test reads.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Pushes three lines, of which two are spilled, and returns the lengths of what is written and the text behind it.
    fn recorded(create_spill: fn() -> io::Result<File>) -> (usize, String) {
        let sink = Sink {
            create_spill,
            ..Sink::default()
        };
        let mut line = vec![b'x'; MEMORY - 1];
        line.push(b'\n');
        for time in 1..=3 {
            // The first line is in memory; the others may fail.
            let _ = sink.push(&mut line.clone(), time);
        }
        sink.close();
        let written = Written::default();
        sink.write_to(OpenTarget::Writer(Box::new(written.clone())));
        let written = written.0.lock().unwrap();
        let lines = written.iter().take_while(|byte| b"x\n".contains(byte));
        let length = lines.count();
        let end = String::from_utf8(written[length..].to_vec()).unwrap();
        (length, end)
    }

    #[test]
    fn lines_that_are_spilled_are_written_in_order() {
        assert_eq!(recorded(tempfile::tempfile), (3 * MEMORY, String::new()));
    }

    #[test]
    fn recording_without_a_temporary_file_ends_with_the_reason() {
        let (length, end) = recorded(|| Err(ErrorKind::StorageFull.into()));
        assert_eq!(length, MEMORY);
        assert_eq!(end, "{\"t\":2,\"stopped\":\"no storage space\"}\n");
    }

    #[test]
    fn recording_whose_temporary_file_cannot_be_read_ends_with_the_reason() {
        // Such a file cannot be read.
        let (length, end) = recorded(|| {
            let directory = tempfile::tempdir()?;
            File::create(directory.path().join("spill"))
        });
        assert_eq!(length, MEMORY);
        assert!(end.starts_with("{\"t\":3,\"stopped\":"), "{end}");
    }
}
