use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;

use ::rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, InitializeRequestParams, RequestId,
    ServerResult,
};
use ::rmcp::service::{RequestContext, RunningService, serve_directly};
use ::rmcp::{Peer, RoleServer, ServerHandler, Service};
use inhouse_proto::mcp::{AnyResult, ErrorCode, RpcError};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tracing::{Instrument, Span};

use super::transport::{LinkTransport, ToolChanges};
use super::{incoming, manifest, request, span};
use crate::mcp::{Link, Manifest, Reply, RpcRequest, ServerSession};
use crate::session::Session;
use crate::tool::note_panic;
use crate::user_code::catch_panic;

/// A handler at work for one CLI.
pub(super) struct RmcpSession<H: ServerHandler> {
    server: Arc<str>,
    session: Session,
    handler: Arc<H>,
    running: RunningService<RoleServer, Arc<H>>,
    inbox: UnboundedSender<ClientJsonRpcMessage>,
    tool_changes: ToolChanges,
}

impl<H: ServerHandler> RmcpSession<H> {
    pub(super) fn new(handler: H, link: Link) -> Self {
        let (name, session) = (link.server().into(), link.session().clone());
        let handler = Arc::new(handler);
        let (inbox, received) = unbounded_channel();
        let tool_changes = ToolChanges::default();
        let transport = LinkTransport::new(link, received, tool_changes.clone());
        Self {
            server: name,
            session,
            running: serve_directly(Arc::clone(&handler), transport, None),
            handler,
            inbox,
            tool_changes,
        }
    }

    /// Answers a request; it is over when the future ends or is dropped.
    pub(super) async fn answer(
        &self,
        id: RequestId,
        method: &str,
        params: Option<&str>,
    ) -> Result<(ServerResult, Span), RpcError> {
        let record = span::of_request(&self.server, method, params);
        // Not before: whoever carries the messages has no time for large arguments.
        let (request, meta) = request::parse(method, params)?;
        let mut context = RequestContext::new(id, self.running.peer().clone());
        context.extensions.insert(self.session.clone());
        context.meta = meta;
        // What the handler has given to other tasks goes by this.
        let _over = context.ct.clone().drop_guard();
        let span = record
            .as_ref()
            .map_or_else(Span::none, |record| record.span().clone());
        let handling = handle(&*self.handler, request, context).instrument(span.clone());
        let outcome = catch_panic(handling).await;
        if let Some(record) = record {
            record.end(span::outcome_of(&outcome));
        }
        match outcome {
            Ok(Ok(result)) => Ok((result, span)),
            Ok(Err(error)) => Err(rpc_error(error)),
            Err(panic) => {
                span.in_scope(|| note_panic(&panic));
                // The panic's text may quote secrets. The panic hook has printed it already.
                let text = "the server failed: it panicked";
                Err(RpcError::new(ErrorCode::INTERNAL, text))
            }
        }
    }

    /// How often the server has said that its tools are others now.
    pub(super) fn tool_changes(&self) -> u64 {
        self.tool_changes.count()
    }

    /// Hands a message to the library's own loop, which is there as long as the session.
    fn deliver(&self, message: &str) {
        if let Some(message) = incoming::read(message) {
            let _ = self.inbox.send(message);
        }
    }
}

impl<H: ServerHandler> ServerSession for RmcpSession<H> {
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>> {
        Box::pin(manifest::capture(self))
    }

    fn request(self: Arc<Self>, request: RpcRequest) -> Reply {
        Reply::Running(Box::pin(async move {
            let id = incoming::request_id(request.call.id());
            let params = request.params.as_deref();
            let outcome = pin!(async {
                let (result, span) = self.answer(id, &request.method, params).await?;
                request.succeed_in(&span, AnyResult(&result))
            });
            request.call.answer(outcome).await
        }))
    }

    fn notification(&self, message: &str) {
        self.deliver(message);
    }

    fn response(&self, message: &str) {
        self.deliver(message);
    }
}

/// Boxed, because the library's future has room for every kind of request: it would be copied each
/// time that one of the futures around it is moved.
type Handling<'a> = Pin<Box<dyn Future<Output = Result<ServerResult, ErrorData>> + Send + 'a>>;

fn handle<H: ServerHandler>(
    handler: &H,
    request: ClientRequest,
    context: RequestContext<RoleServer>,
) -> Handling<'_> {
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
        // A handler that answers on its own often names the newest version it knows, which is none
        // that the CLI could have asked for.
        result.protocol_version = handler.negotiate_initialize(&client)?.protocol_version;
        client.protocol_version = result.protocol_version.clone();
        peer.set_peer_info(client);
    }
    Ok(result)
}

fn rpc_error(error: ErrorData) -> RpcError {
    RpcError {
        code: error.code.0,
        message: error.message.into_owned(),
        data: error.data,
    }
}
