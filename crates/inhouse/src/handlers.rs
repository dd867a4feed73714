//! Routes each request of the CLI to the code that answers it.

use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, IncomingRequest, RequestKind};

use crate::ask::AskHandlers;
use crate::custom_requests::CustomRequests;
use crate::hook::Hooks;
use crate::journal::{CallJournal, RecordedCall};
use crate::mcp::{Bridge, Reply};
use crate::options::Options;
use crate::session::Session;

/// Everything in this process that answers requests of the CLI.
pub(crate) struct Handlers {
    bridge: Arc<Bridge>,
    /// `None` unless the session has a store with a journal.
    journal: Option<Arc<CallJournal>>,
    host: Arc<HostHandlers>,
}

/// The handlers that the user has set in [`Options`].
struct HostHandlers {
    ask: AskHandlers,
    hooks: Hooks,
    custom: CustomRequests,
}

impl Handlers {
    pub(crate) fn new(
        options: &Options,
        bridge: Arc<Bridge>,
        journal: Option<Arc<CallJournal>>,
    ) -> Self {
        let host = HostHandlers {
            ask: options.ask.clone(),
            hooks: options.hooks.clone(),
            custom: options.requests.handlers.clone(),
        };
        Self {
            bridge,
            journal,
            host: Arc::new(host),
        }
    }

    /// Starts to answer a request.
    ///
    /// Runs on the driver task, so it only routes: MCP messages in the order in which they arrive,
    /// everything else to a future that decodes the request itself.
    pub(crate) fn start(&self, request: IncomingRequest) -> Reply {
        if let Some(server) = self.bridge.server_for(&request) {
            let recorded = match (&self.journal, &request.kind) {
                (
                    Some(journal),
                    RequestKind::ToolCall {
                        id,
                        server_name,
                        call,
                        ..
                    },
                ) if !server.is_read_only(&call.name) => {
                    RecordedCall::new(id, server_name, call).map(|call| (journal, call))
                }
                _ => None,
            };
            let reply = server.receive(request);
            return match recorded {
                Some((journal, call)) => journal.record(call, reply),
                None => reply,
            };
        }
        let (host, session) = (Arc::clone(&self.host), self.bridge.session().clone());
        Reply::Running(Box::pin(
            async move { host.answer(&request, &session).await },
        ))
    }
}

impl HostHandlers {
    async fn answer(&self, request: &IncomingRequest, session: &Session) -> Answer {
        let answered = match &request.kind {
            RequestKind::CanUseTool => self.ask.can_use_tool(request, session).await,
            RequestKind::Elicitation => self.ask.elicitation(request, session).await,
            RequestKind::UserDialog => self.ask.dialog(request, session).await,
            RequestKind::Hook(callback) => self.hooks.answer(callback, session).await,
            _ => None,
        };
        if let Some(answer) = answered {
            return answer;
        }
        let answered = self.custom.answer(request.subtype(), &request.body).await;
        answered.unwrap_or_else(|| request.unhandled())
    }
}
