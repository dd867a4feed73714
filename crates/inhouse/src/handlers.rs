//! Who answers what the CLI asks.

use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, Incoming};
use inhouse_proto::engine::Request;

use crate::deciders::Deciders;
use crate::driver::Answering;
use crate::hook::Hooks;
use crate::mcp::{Bridge, Reply};
use crate::options::Options;
use crate::request::RequestHandlers;

/// Everyone in this process who answers requests of the CLI.
pub(crate) struct Handlers {
    bridge: Arc<Bridge>,
    deciders: Deciders,
    hooks: Hooks,
    by_subtype: RequestHandlers,
}

impl Handlers {
    pub(crate) fn new(options: &Options, bridge: Arc<Bridge>) -> Self {
        Self {
            bridge,
            deciders: options.deciders.clone(),
            hooks: options.hooks.clone(),
            by_subtype: options.requests.handlers.clone(),
        }
    }

    /// Begins to answer a request.
    ///
    /// # Errors
    /// The answer, when it is known at once.
    pub(crate) fn begin(&self, request: &Request) -> Result<Answering, Answer> {
        let (incoming, session) = (request.decode(), self.bridge.session());
        let begun = match &incoming {
            Incoming::McpMessage(message) => match self.bridge.receive(request, message) {
                Some(Reply::Ready(answer)) => return Err(answer),
                Some(Reply::Running(answering)) => Some(answering),
                None => None,
            },
            Incoming::HookCallback(callback) => self.hooks.begin(callback, session),
            other => self.deciders.begin(other, session),
        };
        let by_subtype = || self.by_subtype.begin(incoming.subtype(), request.body());
        begun
            .or_else(by_subtype)
            .ok_or_else(|| incoming.unhandled())
    }
}
