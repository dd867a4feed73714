//! Servers written with the `rmcp` crate, behind the bridge.
//!
//! `rmcp`'s service loop leaves requests without a response for which the CLI would wait: if a handler
//! panics, if a call is cancelled, or if two open requests have one id. Therefore [`RmcpSession`]
//! parses each request by its method and calls the handler directly. The loop still runs for
//! messages that the handler sends and for notifications of the CLI, whose context only the loop can
//! create.

mod incoming;
mod manifest;
mod request;
mod server;
mod session;
mod transport;

use self::session::RmcpSession;
