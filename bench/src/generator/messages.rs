//! Messages, which nobody answers.

use super::operation::{Operation, text_of};
use super::{Failure, Session, lines};
use crate::clock::now_ns;
use crate::report::Report;

/// Writes messages as fast as the host takes them. When it has read the last one stands in its own report.
pub(super) fn stream(
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
    note_volume(report, count, bytes);
    Ok(())
}

/// Writes messages that the host does not read, then makes a call: what it waits, and what the host holds.
pub(super) fn backlog(
    session: &mut Session,
    count: usize,
    bytes: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    session.note_memory(report, "before_kib")?;
    let begin = now_ns();
    stream(session, count, bytes, report)?;
    session.round_trip(&Operation::Add)?;
    report.count("backlog_ns", now_ns() - begin);
    session.note_memory(report, "unread_kib")?;
    session.round_trip(&Operation::Read)
}

fn note_volume(report: &mut Report, count: usize, bytes: usize) {
    report.count("messages", count as u64);
    // The escaped end of a line is one character when it is read.
    let text = text_of(bytes);
    let escapes = text.iter().filter(|byte| **byte == b'\\').count();
    report.count("text_bytes", (count * (bytes - escapes)) as u64);
}
