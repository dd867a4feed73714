use std::collections::{HashMap, VecDeque};
use std::mem;

use bytes::Bytes;
use inhouse_proto::RequestId;
use inhouse_proto::engine::Outcome;
use tokio::sync::oneshot;

use super::command::Asked;
use crate::error::{Error, ErrorKind, Result};
use crate::process::mask;

/// Everyone who waits for the CLI. Each is told exactly once.
#[derive(Default)]
pub(super) struct Waiters {
    replies: HashMap<RequestId, Waiter>,
    ids: HashMap<u64, RequestId>,
    /// For prompts that wait to be written, in order.
    unwritten: VecDeque<oneshot::Sender<Result<()>>>,
    /// For prompts whose last byte is in the portion that is being written.
    writing: Vec<oneshot::Sender<Result<()>>>,
    /// How many prompts have left `unwritten`.
    transmitted: u64,
}

struct Waiter {
    key: u64,
    subtype: &'static str,
    reply: oneshot::Sender<Result<Option<Bytes>>>,
}

// A waiter that has gone away does not need the news: every failed `send` below means just that.
impl Waiters {
    pub(super) fn await_reply(&mut self, id: RequestId, asked: Asked) {
        let Asked {
            key,
            subtype,
            reply,
            ..
        } = asked;
        self.ids.insert(key, id);
        self.replies.insert(
            id,
            Waiter {
                key,
                subtype,
                reply,
            },
        );
    }

    pub(super) fn await_written(&mut self, done: oneshot::Sender<Result<()>>) {
        self.unwritten.push_back(done);
    }

    /// Notes that the last of this many prompts is being written now.
    pub(super) fn writing(&mut self, transmitted: u64) {
        while self.transmitted < transmitted {
            self.transmitted += 1;
            self.writing.extend(self.unwritten.pop_front());
        }
    }

    /// Forgets a request that nobody waits for.
    pub(super) fn abandon(&mut self, key: u64) -> Option<RequestId> {
        let id = self.ids.remove(&key)?;
        self.replies.remove(&id);
        Some(id)
    }

    pub(super) fn reply(&mut self, id: RequestId, outcome: Outcome) {
        let Some(Waiter {
            key,
            subtype,
            reply,
        }) = self.replies.remove(&id)
        else {
            return;
        };
        self.ids.remove(&key);
        let _ = reply.send(match outcome {
            Outcome::Success(payload) => Ok(payload),
            Outcome::Refused { message, code } => Err(Error::new(
                ErrorKind::Refused,
                format!("the CLI refused `{subtype}`: {}", excerpt(&message)),
            )
            .with_code(code)),
            Outcome::TimedOut => Err(Error::new(
                ErrorKind::Timeout,
                format!("the CLI did not answer `{subtype}` in time; the request was withdrawn"),
            )),
        });
    }

    /// What was being written is written.
    pub(super) fn written(&mut self) {
        for done in self.writing.drain(..) {
            let _ = done.send(Ok(()));
        }
    }

    /// What was not written yet never will be.
    pub(super) fn input_ended(&mut self) {
        let error = self.input_closed();
        self.fail_writes(&error);
    }

    pub(super) fn input_closed(&self) -> Error {
        Error::new(
            ErrorKind::Closed,
            "the input of the session is closed; start a new session to send more",
        )
    }

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

/// Returns the words of the CLI without what looks like a secret, and cut at a bound.
fn excerpt(message: &str) -> String {
    const LONGEST: usize = 2048;
    let masked = mask(message);
    match masked.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &masked[..end]),
        None => masked.into_owned(),
    }
}

#[cfg(test)]
#[path = "waiters_tests.rs"]
mod tests;
