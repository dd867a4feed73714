//! Connections to a CLI: two byte streams and the process or service behind them.
//!
//! The default transport starts a child process. Implement [`Transport`] to reach a CLI elsewhere:
//! through a socket, in a container with its own API, or in memory for a test. [`duplex`] is a
//! transport over two streams.

mod child;
mod duplex;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::child::ChildTransport;
pub use self::duplex::{Duplex, duplex};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::ExitStatus;

/// Opens a connection to a CLI.
///
/// A session opens its transport once. [`Launch`] has the command line, the environment, the user and
/// the callback for stderr; a transport to a CLI that already runs may ignore it.
///
/// ```
/// use inhouse::launch::Launch;
/// use inhouse::transport::{ChildTransport, Connection, Transport};
///
/// /// Starts the CLI as a child process, and prints its command line.
/// struct Verbose;
///
/// impl Transport for Verbose {
///     async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
///         println!("{:?}", launch.command);
///         ChildTransport.open(launch).await
///     }
/// }
/// # fn is_transport<T: Transport>(_: T) {}
/// # is_transport(Verbose);
/// ```
pub trait Transport: Send + 'static {
    /// Starts the CLI or connects to it.
    ///
    /// Dropped if it exceeds [`Options::connect_timeout`](crate::Options::connect_timeout); a CLI
    /// that is already started must then be killed.
    fn open(self, launch: &Launch) -> impl Future<Output = Result<Connection>> + Send;
}

/// An open connection to a CLI.
pub struct Connection {
    /// The stdout of the CLI.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// The stdin of the CLI; dropping it closes stdin.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// The process or service at the other end.
    pub peer: Box<dyn Peer>,
}

/// The process or service at the other end of a [`Connection`].
///
/// Dropping a peer must kill the process at once, with all of its descendants.
///
/// ```
/// use std::future::{Future, pending};
/// use std::pin::Pin;
///
/// use inhouse::ExitStatus;
/// use inhouse::transport::Peer;
///
/// /// A service that never exits and cannot be killed.
/// struct Service;
///
/// impl Peer for Service {
///     fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
///         Box::pin(pending())
///     }
///
///     fn terminate(&mut self) {}
///
///     fn kill(&mut self) {}
/// }
/// assert_eq!(Service.pid(), None);
/// ```
pub trait Peer: Send + 'static {
    /// Returns the process id of a local process.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Returns the last lines of stderr, for error texts.
    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Waits for the exit; resolves to `None` if there is no exit status.
    ///
    /// The future borrows nothing, so that the other methods can be called while it is pending. It
    /// may be dropped, and the method may be called again, also after an exit.
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>>;

    /// Requests an exit (TERM on Unix), when closing stdin was not enough.
    fn terminate(&mut self);

    /// Kills the process after this time unless the method is called again before, even if the host is stopped meanwhile.
    ///
    /// Called each time the lease of a session is renewed, with the time that is left. A host that is stopped past the end of its lease
    /// cannot kill the CLI itself. Does nothing by default.
    fn kill_after(&mut self, time: Duration) {
        let _ = time;
    }

    /// Kills the process, with all of its descendants.
    fn kill(&mut self);
}
