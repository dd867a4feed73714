//! Routes each request of the CLI to the code that answers it.

use std::borrow::Cow;
use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, Incoming, McpMessage};
use inhouse_proto::engine::Request;
use serde::Deserialize;

use crate::ask::AskHandlers;
use crate::custom_requests::CustomRequests;
use crate::hook::Hooks;
use crate::mcp::{Bridge, Reply};
use crate::options::Options;
use crate::session::Session;

/// Everything in this process that answers requests of the CLI.
pub(crate) struct Handlers {
    bridge: Arc<Bridge>,
    host: Arc<HostHandlers>,
}

/// The handlers that the user has set in [`Options`].
struct HostHandlers {
    ask: AskHandlers,
    hooks: Hooks,
    custom: CustomRequests,
}

impl Handlers {
    pub(crate) fn new(options: &Options, bridge: Arc<Bridge>) -> Self {
        let host = HostHandlers {
            ask: options.ask.clone(),
            hooks: options.hooks.clone(),
            custom: options.requests.handlers.clone(),
        };
        Self {
            bridge,
            host: Arc::new(host),
        }
    }

    /// Starts to answer a request.
    ///
    /// Runs on the driver task, so it only routes: MCP messages in the order in which they arrive,
    /// everything else to a future that decodes the request itself.
    pub(crate) fn start(&self, request: &Request) -> Reply {
        if let Some(message) = mcp_message(request)
            && let Some(reply) = self.bridge.receive(request, &message)
        {
            return reply;
        }
        let host = Arc::clone(&self.host);
        let (request, session) = (request.clone(), self.bridge.session().clone());
        Reply::Running(Box::pin(
            async move { host.answer(&request, &session).await },
        ))
    }
}

impl HostHandlers {
    async fn answer(&self, request: &Request, session: &Session) -> Answer {
        // Decoded once here, and moved into the handler.
        let answered = match request.decode() {
            Incoming::CanUseTool(call) => self.ask.can_use_tool(*call, session).await,
            Incoming::Elicitation(elicitation) => self.ask.elicitation(*elicitation, session).await,
            Incoming::RequestUserDialog(dialog) => self.ask.dialog(dialog, session).await,
            Incoming::HookCallback(callback) => self.hooks.answer(&callback, session).await,
            Incoming::Unknown(unknown) => self.ask.malformed_dialog(&unknown),
            _ => None,
        };
        if let Some(answer) = answered {
            return answer;
        }
        let unhandled = request.decode();
        let answered = self
            .custom
            .answer(unhandled.subtype(), request.body())
            .await;
        answered.unwrap_or_else(|| unhandled.unhandled())
    }
}

/// Returns the MCP message of a request; `None` if the request is not for an MCP server.
fn mcp_message(request: &Request) -> Option<McpMessage<'_>> {
    #[derive(Deserialize)]
    struct Subtype<'a> {
        #[serde(borrow)]
        subtype: Cow<'a, str>,
    }
    if let Some(message) = request.mcp_message() {
        return Some(message);
    }
    // Reads nothing but the subtype: other requests are decoded in the task of their handler.
    let Subtype { subtype } = serde_json::from_str(request.body()).ok()?;
    if subtype != "mcp_message" {
        return None;
    }
    match request.decode() {
        Incoming::McpMessage(message) => Some(message),
        _ => None,
    }
}
