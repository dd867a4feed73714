//! Streams of messages, which have no response.

use std::path::Path;
use std::time::{Duration, Instant};

use super::operation::{Operation, text_of};
use super::{Failure, Session, Timing, lines};
use crate::clock::now_ns;
use crate::environment;
use crate::report::Report;

/// The interval at which the generator checks whether the host has read a batch.
const POLL: Duration = Duration::from_micros(200);

/// The deadline of a host to read a batch.
const BATCH_DEADLINE: Duration = Duration::from_secs(60);

/// Streams batches of messages until the host is warm, then measures one stream.
///
/// A batch is a tenth of the stream and ends with a message without text, which the host confirms once its application has
/// read it. So every stream begins with empty queues.
pub(super) fn warm_stream(
    session: &mut Session,
    count: usize,
    bytes: usize,
    timing: Timing,
    report: &mut Report,
) -> Result<(), Failure> {
    let line = lines::message(bytes);
    let last = lines::message(0);
    let batch = count.div_ceil(10);
    let marks = environment::path(environment::READ_MARKS)?;
    let mut batches = 0;
    timing.warm_up.run(session, report, |session| {
        for _ in 0..batch {
            session.write(&line)?;
        }
        session.write(&last)?;
        batches += 1;
        wait_for_marks(&marks, batches)?;
        Ok(batch as u64)
    })?;
    let warm_up = batches as usize * batch;
    stream(session, count, bytes, report)?;
    note_volume(report, count, warm_up + count, bytes);
    Ok(())
}

/// Waits until the host has confirmed this many batches; it appends one byte for each.
fn wait_for_marks(path: &Path, expected: u64) -> Result<(), Failure> {
    let deadline = Instant::now() + BATCH_DEADLINE;
    while std::fs::metadata(path).map_or(0, |marks| marks.len()) < expected {
        if Instant::now() > deadline {
            return Err(Failure::new("the host has not read a batch of messages"));
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

/// Writes messages as fast as the host accepts them. The host's report has the time at which the last one was read.
fn stream(
    session: &Session,
    count: usize,
    bytes: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    let line = lines::message(bytes);
    report.count("stream_begin_ns", now_ns());
    report.count("stream_begin_cpu_us", session.host_cpu()?);
    for _ in 0..count {
        session.write(&line)?;
    }
    Ok(())
}

/// Writes messages that the host does not read, then makes a call; notes its latency and the memory of the host.
pub(super) fn backlog(
    session: &mut Session,
    count: usize,
    bytes: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    session.note_memory(report, "before_kib")?;
    let begin = now_ns();
    stream(session, count, bytes, report)?;
    note_volume(report, count, count, bytes);
    session.round_trip(&Operation::Add)?;
    report.count("backlog_ns", now_ns() - begin);
    session.note_memory(report, "unread_kib")?;
    session.round_trip(&Operation::Read)
}

/// Notes the number of measured messages, and the length of the text in all messages of the session.
fn note_volume(report: &mut Report, measured: usize, all: usize, bytes: usize) {
    report.count("messages", measured as u64);
    // An escaped line end is one character once decoded.
    let text = text_of(bytes);
    let escapes = text.iter().filter(|byte| **byte == b'\\').count();
    report.count("text_bytes", (all * (bytes - escapes)) as u64);
}
