use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::error::Result;

/// What the holders of a session ask of its driver.
pub(crate) enum Command {
    /// Write a prompt; done when the CLI's stdin has taken it.
    Send {
        prompt: Box<RawValue>,
        done: oneshot::Sender<Result<()>>,
    },
    /// Make a request.
    Request(Asked),
    /// Make a request whose reply nobody waits for.
    Post { body: String, timeout: Duration },
    /// Nobody waits for the reply to a request any more.
    Abandon { key: u64 },
    /// End the session.
    Close {
        how: Close,
        done: Option<oneshot::Sender<()>>,
    },
}

/// A request and whoever waits for its reply.
pub(crate) struct Asked {
    /// Names the request before it has an id.
    pub(crate) key: u64,
    pub(crate) subtype: &'static str,
    pub(crate) body: String,
    pub(crate) deadline: Option<Instant>,
    pub(crate) reply: oneshot::Sender<Result<Option<Bytes>>>,
}

/// How to end a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    /// Interrupt if a turn runs, end of input, grace, TERM, KILL.
    Gently,
    /// The same steps in a short time: for a CLI that did not accept the session.
    Soon,
    /// KILL.
    Now,
}
