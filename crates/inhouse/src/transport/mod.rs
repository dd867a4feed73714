//! The way to a CLI: two byte streams and what stands behind them.
//!
//! The default is a child process. A [`Transport`] of your own reaches a CLI elsewhere: through a
//! socket, in a container that is driven by an API, or in memory for a test.

mod child;
mod duplex;

use std::future::Future;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::child::ChildTransport;
pub use self::duplex::{Duplex, duplex};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::ExitStatus;

/// A way to a CLI.
///
/// Opened once for each session. Everything that a command line would carry is in the [`Launch`];
/// a transport that reaches a CLI which is already running may ignore it.
pub trait Transport: Send + 'static {
    /// Starts or reaches the CLI.
    fn open(self, launch: &Launch) -> impl Future<Output = Result<Connection>> + Send;
}

/// An open way to a CLI.
pub struct Connection {
    /// What the CLI writes: its stdout.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the CLI reads: its stdin. Dropping it is the end of input.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// The process or service at the other end.
    pub peer: Box<dyn Peer>,
}

/// What stands at the other end of a [`Connection`].
///
/// Dropping it must end the other end at once, with everything it has started.
pub trait Peer: Send + 'static {
    /// The process id, where there is a local process.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// The last that it wrote to its diagnostic stream, for error texts.
    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Resolves when it has ended; `None` when there is no status to know.
    ///
    /// It stands by itself: the other methods may be called while it waits. May be dropped and called
    /// again, also after it has resolved.
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>>;

    /// Asks it to end: the first step when the end of input was not enough.
    fn terminate(&mut self);

    /// Ends it, with everything that it has started.
    fn kill(&mut self);
}
