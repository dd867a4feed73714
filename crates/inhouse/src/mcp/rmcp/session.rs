use std::collections::HashSet;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};

use ::rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, InitializeRequestParams, RequestId,
    ServerResult,
};
use ::rmcp::service::{RequestContext, RunningService, serve_directly};
use ::rmcp::{Peer, RoleServer, ServerHandler, Service};
use inhouse_proto::mcp::{AnyResult, ErrorCode, RpcError, ToolCall};
use inhouse_proto::wire::Text;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tracing::{Instrument, Span};

use super::transport::{CliTransport, ToolChanges};
use super::{incoming, manifest, request};
use crate::mcp::{CliSender, Manifest, OpenCall, Reply, ServerSession};
use crate::session::Session;
use crate::tool::{CallSpan, record_panic};
use crate::user_code::catch_panic;

/// The session of a handler with one CLI.
pub(super) struct RmcpSession<H: ServerHandler> {
    server: Arc<str>,
    session: Session,
    handler: Arc<H>,
    running: RunningService<RoleServer, Arc<H>>,
    inbox: UnboundedSender<ClientJsonRpcMessage>,
    tool_changes: ToolChanges,
    read_only: OnceLock<ReadOnlyTools>,
}

/// The tools that have declared in a listing that they change nothing.
pub(super) struct ReadOnlyTools {
    pub(super) names: HashSet<String>,
    /// How often the tools had changed when they were listed.
    pub(super) tool_changes: u64,
}

impl<H: ServerHandler> RmcpSession<H> {
    pub(super) fn new(handler: H, cli: CliSender) -> Self {
        let (name, session) = (cli.server().into(), cli.session().clone());
        let handler = Arc::new(handler);
        let (inbox, received) = unbounded_channel();
        let tool_changes = ToolChanges::default();
        let transport = CliTransport::new(cli, received, tool_changes.clone());
        Self {
            server: name,
            session,
            running: serve_directly(Arc::clone(&handler), transport, None),
            handler,
            inbox,
            tool_changes,
            read_only: OnceLock::new(),
        }
    }

    /// Notes the read-only tools of a listing. The first listing counts.
    pub(super) fn note_read_only(&self, tools: ReadOnlyTools) {
        let _ = self.read_only.set(tools);
    }

    /// Calls the handler with a request. Dropping the future cancels the request.
    ///
    /// A tool call has its own span, like that of a native tool.
    pub(super) async fn handle_request(
        &self,
        id: RequestId,
        method: &str,
        params: Option<&str>,
        call: Option<&ToolCall>,
    ) -> Result<(ServerResult, Span), RpcError> {
        let record = call.map(|call| CallSpan::begin(&self.server, call));
        // Parsed in the request's own task, because large arguments would delay the driver.
        let (request, meta) = request::parse(method, params)?;
        let mut context = RequestContext::new(id, self.running.peer().clone());
        context.extensions.insert(self.session.clone());
        context.meta = meta;
        // Cancels the token for tasks that the handler has spawned, also if this future is dropped.
        let _cancel_on_drop = context.ct.clone().drop_guard();
        let span = record
            .as_ref()
            .map_or_else(Span::none, |record| record.span().clone());
        let handling = handle(&*self.handler, request, context).instrument(span.clone());
        let outcome = catch_panic(handling).await;
        if let Some(record) = record {
            record.end(outcome_of(&outcome));
        }
        match outcome {
            Ok(Ok(result)) => Ok((result, span)),
            Ok(Err(error)) => Err(rpc_error(error)),
            Err(panic) => {
                span.in_scope(|| record_panic(&panic));
                // Without the panic's text, which may quote secrets. The panic hook has printed it.
                let text = "the server failed: it panicked";
                Err(RpcError::new(ErrorCode::INTERNAL, text))
            }
        }
    }

    fn answer(
        self: Arc<Self>,
        method: Text,
        params: Option<Text>,
        call: Option<Box<ToolCall>>,
        open: OpenCall,
    ) -> Reply {
        Reply::Running(Box::pin(async move {
            let id = incoming::request_id(open.id());
            let outcome = pin!(async {
                let handling = self.handle_request(id, &method, params.as_deref(), call.as_deref());
                let (result, span) = handling.await?;
                open.succeed_in(&span, AnyResult(&result))
            });
            open.answer(outcome).await
        }))
    }

    /// Returns how often the server has announced a change of its tools.
    pub(super) fn tool_changes(&self) -> u64 {
        self.tool_changes.count()
    }

    /// Passes a message to `rmcp`'s service loop, which lives as long as the session.
    fn deliver(&self, message: &str) {
        if let Some(message) = incoming::parse(message) {
            let _ = self.inbox.send(message);
        }
    }
}

impl<H: ServerHandler> ServerSession for RmcpSession<H> {
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>> {
        Box::pin(manifest::capture(self))
    }

    fn is_read_only(&self, tool: &str) -> bool {
        let is_listed = |tools: &ReadOnlyTools| {
            tools.tool_changes == self.tool_changes() && tools.names.contains(tool)
        };
        self.read_only.get().is_some_and(is_listed)
    }

    fn call(self: Arc<Self>, call: Box<ToolCall>, params: Text, open: OpenCall) -> Reply {
        self.answer("tools/call".into(), Some(params), Some(call), open)
    }

    fn request(self: Arc<Self>, method: Text, params: Option<Text>, open: OpenCall) -> Reply {
        self.answer(method, params, None, open)
    }

    fn notification(&self, message: &str) {
        self.deliver(message);
    }

    fn response(&self, message: &str) {
        self.deliver(message);
    }
}

/// Boxed, because `rmcp`'s future has room for every kind of request and would be copied whenever a
/// future around it is moved.
type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<ServerResult, ErrorData>> + Send + 'a>>;

fn handle<H: ServerHandler>(
    handler: &H,
    request: ClientRequest,
    context: RequestContext<RoleServer>,
) -> HandlerFuture<'_> {
    match &request {
        ClientRequest::InitializeRequest(initialize) => {
            let client = initialize.params.clone();
            Box::pin(initialize_for(handler, client, request, context))
        }
        _ => Box::pin(Service::handle_request(handler, request, context)),
    }
}

async fn initialize_for<H: ServerHandler>(
    handler: &H,
    mut client: InitializeRequestParams,
    request: ClientRequest,
    context: RequestContext<RoleServer>,
) -> Result<ServerResult, ErrorData> {
    let peer: Peer<RoleServer> = context.peer.clone();
    peer.set_peer_info(client.clone());
    let mut result = Service::handle_request(handler, request, context).await?;
    if let ServerResult::InitializeResult(result) = &mut result {
        // A handler that implements `initialize` often returns the newest version of its `rmcp`, which
        // may be newer than what the CLI requested.
        result.protocol_version = handler.negotiate_initialize(&client)?.protocol_version;
        client.protocol_version = result.protocol_version.clone();
        peer.set_peer_info(client);
    }
    Ok(result)
}

/// Returns the outcome that the span of a call records.
fn outcome_of(outcome: &Result<Result<ServerResult, ErrorData>, String>) -> &'static str {
    match outcome {
        Ok(Ok(ServerResult::CallToolResult(result))) if result.is_error == Some(true) => "error",
        Ok(Ok(_)) => "success",
        Ok(Err(_)) => "error",
        Err(_) => "panic",
    }
}

fn rpc_error(error: ErrorData) -> RpcError {
    RpcError {
        code: error.code.0,
        message: error.message.into_owned(),
        data: error.data,
    }
}
