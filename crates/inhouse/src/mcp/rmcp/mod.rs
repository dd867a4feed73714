//! Servers written with the official MCP library, behind the bridge.
//!
//! The library's own loop leaves requests unanswered that the CLI would wait for: of a handler that
//! panics, of a cancelled call, of two open requests with one id. So it gets no requests to see: the
//! [`RmcpSession`] reads each by its method and hands it to the handler itself. The loop runs all the
//! same, for the messages that the handler starts and for notifications of the CLI, of which only it
//! can make the context.

mod incoming;
mod manifest;
mod request;
mod server;
mod session;
mod span;
mod transport;

use self::session::RmcpSession;
