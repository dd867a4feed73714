//! The callers that wait for a reply of the CLI, or until their prompt is written.

use std::collections::{HashMap, VecDeque};
use std::mem;

use bytes::Bytes;
use inhouse_proto::RequestId;
use inhouse_proto::engine::Outcome;
use tokio::sync::oneshot;

use super::commands::{ControlCall, input_closed};
use crate::error::{Error, ErrorKind, Result};
use crate::process::redact;

/// All waiting callers. Each gets exactly one result.
#[derive(Default)]
pub(super) struct Waiters {
    replies: HashMap<RequestId, ReplyWaiter>,
    /// The request of each [`ControlCall::key`].
    ids: HashMap<u64, RequestId>,
    /// Prompts whose last byte has not left the engine, in order.
    unwritten: VecDeque<oneshot::Sender<Result<()>>>,
    /// Prompts whose last byte is among the bytes that are being written.
    writing: Vec<oneshot::Sender<Result<()>>>,
    /// How many prompts have left `unwritten`.
    loaded: u64,
}

struct ReplyWaiter {
    key: u64,
    subtype: &'static str,
    reply: oneshot::Sender<Result<Option<Bytes>>>,
}

// A failed `send` below means that the caller has dropped its future.
impl Waiters {
    pub(super) fn await_reply(&mut self, id: RequestId, call: ControlCall) {
        self.ids.insert(call.key, id);
        let waiter = ReplyWaiter {
            key: call.key,
            subtype: call.subtype,
            reply: call.reply,
        };
        self.replies.insert(id, waiter);
    }

    pub(super) fn await_written(&mut self, done: oneshot::Sender<Result<()>>) {
        self.unwritten.push_back(done);
    }

    /// Notes that the bytes being written now include the ends of the first `count` prompts.
    pub(super) fn prompts_loaded(&mut self, count: u64) {
        while self.loaded < count {
            self.loaded += 1;
            self.writing.extend(self.unwritten.pop_front());
        }
    }

    /// Notifies the senders of the prompts that are now written and flushed.
    pub(super) fn notify_written(&mut self) {
        for done in self.writing.drain(..) {
            let _ = done.send(Ok(()));
        }
    }

    /// Removes a call whose future was dropped, and returns its request.
    pub(super) fn withdraw(&mut self, key: u64) -> Option<RequestId> {
        let id = self.ids.remove(&key)?;
        self.replies.remove(&id);
        Some(id)
    }

    pub(super) fn reply(&mut self, id: RequestId, outcome: Outcome) {
        let Some(waiter) = self.replies.remove(&id) else {
            return;
        };
        self.ids.remove(&waiter.key);
        let subtype = waiter.subtype;
        let _ = waiter.reply.send(match outcome {
            Outcome::Success(payload) => Ok(payload),
            Outcome::Refused { message, code } => {
                let text = format!("the CLI refused `{subtype}`: {}", excerpt(&message));
                Err(Error::new(ErrorKind::Refused, text).with_code(code))
            }
            Outcome::TimedOut => {
                let text = format!(
                    "the CLI did not answer `{subtype}` in time; the request was withdrawn"
                );
                Err(Error::new(ErrorKind::Timeout, text))
            }
        });
    }

    /// Fails the prompts that were not written before stdin closed.
    pub(super) fn fail_unwritten(&mut self) {
        self.fail_writes(&input_closed());
    }

    /// Fails everything that still waits when the session ends.
    pub(super) fn fail_all(&mut self, cause: &Error) {
        for (_, waiter) in self.replies.drain() {
            let _ = waiter.reply.send(Err(cause.clone()));
        }
        self.fail_writes(cause);
    }

    fn fail_writes(&mut self, cause: &Error) {
        let unwritten = mem::take(&mut self.unwritten);
        for done in self.writing.drain(..).chain(unwritten) {
            let _ = done.send(Err(cause.clone()));
        }
    }
}

/// Returns the error text of the CLI with secrets redacted, cut to a maximum length.
fn excerpt(message: &str) -> String {
    const MAX_CHARS: usize = 2048;
    let redacted = redact(message);
    match redacted.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} …", &redacted[..end]),
        None => redacted.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // `Control::send` would find the cause by itself if its channel were dropped; the order of the
    // final notifications must not matter.
    #[test]
    fn end_of_session_fails_unwritten_prompts_with_its_cause() {
        let mut waiters = Waiters::default();
        let (done, mut written) = oneshot::channel();
        waiters.await_written(done);
        waiters.fail_all(&Error::new(ErrorKind::Exited, "the CLI ended"));
        let error = written.try_recv().expect("a result").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exited);
    }
}
