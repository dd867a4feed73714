use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CustomNotification, ErrorData, InputRequest, InputRequiredResult, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, RequestMetaObject, ResultType, ServerNotification,
};
use ::rmcp::service::RequestContext;
use ::rmcp::{Peer, RoleServer};
use inhouse_proto::mcp::{CallToolResult as ToolResult, Content, ErrorCode, ToolCall};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tracing::Span;

use super::client::{self, ServedClient};
use super::handler::Served;
use super::suspended::Suspended;
use crate::session::Session;
use crate::tool::{
    CallContext, Canceller, ClientCapability, FinishedCall, LogLevel, McpClient, Progress,
    ServedTools, record_result,
};

/// A message of a handler to its client.
pub(super) enum Event {
    Progress {
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    Log {
        level: LogLevel,
        data: Value,
    },
    /// A request that the client answers in its next call (MCP 2026-07-28).
    Input(InputItem),
    /// A request that the client does not support (MCP 2026-07-28).
    Unsupported(ClientCapability),
}

/// A request of a handler that the client has not answered.
pub(super) struct InputItem {
    pub(super) capability: ClientCapability,
    pub(super) request: InputRequest,
    pub(super) answer: oneshot::Sender<Value>,
}

/// The future of a handler that may outlive the request of its client.
pub(super) type OwnedHandler = Pin<Box<dyn Future<Output = FinishedCall> + Send>>;

/// A call whose handler waits for answers of the client, or runs because it got them.
pub(super) struct OwnedCall {
    pub(super) handler: OwnedHandler,
    pub(super) events: UnboundedReceiver<Event>,
    /// The requests that the client has not answered, by their keys.
    pub(super) open: Vec<(String, InputItem)>,
    /// The number of requests so far, from which keys are made.
    pub(super) requests: u64,
    /// Capabilities that the handler needed and the client does not have.
    pub(super) missing: Vec<ClientCapability>,
}

/// Calls a tool for an `rmcp` client.
pub(super) async fn call(
    served: &Served,
    mut request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let RequestContext { ct, meta, peer, .. } = context;
    let outlet = Outlet {
        peer: &peer,
        progress_token: meta.get_progress_token(),
        log_filter: is_stateless(&meta).then(|| client::level(meta.log_level())),
    };
    let is_stateless = is_stateless(&meta);
    let state = request.request_state.take();
    let answers = request.input_responses.take();
    let invocation = Invocation {
        tools: Arc::clone(&served.tools),
        log_level: Arc::clone(&served.log_level),
        request,
        meta,
        peer: peer.clone(),
    };
    let response = async {
        if !is_stateless {
            let (sender, mut events) = unbounded_channel();
            let handler = pin!(invocation.run(sender));
            let finished = outlet.finish(handler, &mut events).await;
            return into_rmcp_result(finished.result, &finished.span).map(Into::into);
        }
        let request = invocation.request.clone();
        let call = match state {
            Some(state) => {
                let answers = answers.unwrap_or_default();
                served.suspended.resume(&state, &request, answers)?
            }
            None => OwnedCall::new(invocation),
        };
        outlet.advance(call, request, &served.suspended).await
    };
    tokio::select! {
        biased;
        // Dropping the handler cancels its call.
        () = ct.cancelled() => {
            let code = ::rmcp::model::ErrorCode(ErrorCode::CANCELLED);
            Err(ErrorData::new(code, "the request was cancelled", None))
        }
        response = response => response,
    }
}

/// Returns whether the client is of MCP 2026-07-28 or later: each request has the client's version and
/// capabilities, and servers send no requests.
fn is_stateless(meta: &RequestMetaObject) -> bool {
    let version = meta.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// A call of a client, not yet started.
struct Invocation {
    tools: Arc<dyn ServedTools>,
    /// The lowest level of log messages that a client with a handshake has set.
    log_level: Arc<Mutex<LogLevel>>,
    request: CallToolRequestParams,
    meta: RequestMetaObject,
    peer: Peer<RoleServer>,
}

impl Invocation {
    /// Runs the handler of the tool.
    async fn run(self, events: UnboundedSender<Event>) -> FinishedCall {
        let canceller = Canceller::new();
        let arguments = Value::Object(self.request.arguments.unwrap_or_default()).to_string();
        let mut call = ToolCall::new(self.request.name.into_owned(), arguments);
        let tool_use_id = self.meta.get("claudecode/toolUseId");
        call.tool_use_id = tool_use_id
            .and_then(Value::as_str)
            .map(|id| id.to_owned().into());
        let context = CallContext {
            cancelled: canceller.cancelled(),
            progress: &|| match self.meta.get_progress_token() {
                Some(_) => progress(events.clone()),
                None => Progress::new(None),
            },
            client: &|| {
                let events = events.clone();
                let client = if is_stateless(&self.meta) {
                    ServedClient::stateless(&self.meta, events)
                } else {
                    let (log_level, peer) = (Arc::clone(&self.log_level), self.peer.clone());
                    ServedClient::connected(log_level, peer, events)
                };
                McpClient::new(Some(Arc::new(client)), canceller.cancelled())
            },
            session: &Session::default(),
        };
        self.tools.run(&call, context).await
    }
}

/// Returns a `Progress` that does not wait for the client.
fn progress(events: UnboundedSender<Event>) -> Progress {
    let report = move |done, total, message| {
        // Fails after the end of the call, when MCP allows no more reports.
        let _ = events.send(Event::Progress {
            done,
            total,
            message,
        });
    };
    Progress::new(Some(Arc::new(report)))
}

impl OwnedCall {
    fn new(invocation: Invocation) -> Self {
        let (sender, events) = unbounded_channel();
        Self {
            handler: Box::pin(invocation.run(sender)),
            events,
            open: Vec::new(),
            requests: 0,
            missing: Vec::new(),
        }
    }

    /// Handles a message of the handler.
    async fn receive(&mut self, event: Event, outlet: &Outlet<'_>) {
        match event {
            Event::Input(input) => {
                self.requests += 1;
                self.open.push((format!("input-{}", self.requests), input));
            }
            Event::Unsupported(capability) => self.missing.push(capability),
            notification => outlet.send(notification).await,
        }
    }

    /// Returns the error for a call that failed because the client does not have a capability, as
    /// 2026-07-28 requires; `None` if the handler succeeded without.
    fn missing_capability(&self, result: &ToolResult) -> Option<ErrorData> {
        if self.missing.is_empty() || !result.is_error {
            return None;
        }
        let mut required = ClientCapabilities::default();
        for capability in &self.missing {
            match capability {
                ClientCapability::Elicitation => required.elicitation = Some(Default::default()),
                ClientCapability::Sampling => required.sampling = Some(Default::default()),
            }
        }
        let mut error = ErrorData::missing_required_client_capability(required);
        // The CLI passes only this text to the model (2.1.325).
        error.message = result.all_text().into();
        Some(error)
    }

    /// Returns whether the handler waits for an answer of the client.
    fn needs_input(&mut self) -> bool {
        // The handler may have dropped a request, for example at its timeout.
        self.open.retain(|(_, input)| !input.answer.is_closed());
        !self.open.is_empty()
    }
}

/// Sends the messages of a handler to the client, in reply to the client's current request.
struct Outlet<'a> {
    peer: &'a Peer<RoleServer>,
    progress_token: Option<ProgressToken>,
    /// The lowest level that the current request accepts; `Some(None)` if it accepts no log messages, `None`
    /// if the client sets the level with `logging/setLevel`.
    log_filter: Option<Option<LogLevel>>,
}

impl Outlet<'_> {
    /// Runs a handler to its end. All its messages are sent before the result.
    async fn finish(
        &self,
        mut handler: Pin<&mut impl Future<Output = FinishedCall>>,
        events: &mut UnboundedReceiver<Event>,
    ) -> FinishedCall {
        let finished = loop {
            tokio::select! {
                biased;
                Some(event) = events.recv() => self.send(event).await,
                finished = handler.as_mut() => break finished,
            }
        };
        while let Ok(event) = events.try_recv() {
            self.send(event).await;
        }
        finished
    }

    /// Runs a handler until it returns, or until it waits for the client: then the call is suspended,
    /// and the result is `input_required`.
    async fn advance(
        &self,
        mut call: OwnedCall,
        request: CallToolRequestParams,
        suspended: &Arc<Suspended>,
    ) -> Result<CallToolResponse, ErrorData> {
        let finished = loop {
            if call.needs_input() {
                let inputs = call.open.iter();
                let inputs = inputs.map(|(key, input)| (key.clone(), input.request.clone()));
                let inputs = inputs.collect();
                let state = suspended.suspend(call, request);
                return Ok(InputRequiredResult::new(Some(inputs), Some(state)).into());
            }
            tokio::select! {
                biased;
                Some(event) = call.events.recv() => {
                    let mut next = Some(event);
                    // A handler that waits for several answers at once gets them in one round.
                    while let Some(event) = next {
                        call.receive(event, self).await;
                        next = call.events.try_recv().ok();
                    }
                }
                finished = call.handler.as_mut() => break finished,
            }
        };
        while let Ok(event) = call.events.try_recv() {
            call.receive(event, self).await;
        }
        if let Some(error) = call.missing_capability(&finished.result) {
            return Err(error);
        }
        into_rmcp_result(finished.result, &finished.span).map(Into::into)
    }

    /// Sends a notification to the client.
    async fn send(&self, event: Event) {
        // Sending fails if the client has disconnected, which also cancels the call.
        match event {
            Event::Progress {
                done,
                total,
                message,
            } => {
                let Some(token) = self.progress_token.clone() else {
                    return;
                };
                let mut report = ProgressNotificationParam::new(token, done);
                report.total = total;
                report.message = message;
                let _ = self.peer.notify_progress(report).await;
            }
            Event::Log { level, data } => {
                let is_wanted = match self.log_filter {
                    Some(lowest) => lowest.is_some_and(|lowest| level >= lowest),
                    None => true,
                };
                if is_wanted {
                    let params = json!({"level": level, "data": data});
                    let message = CustomNotification::new("notifications/message", Some(params));
                    let message = ServerNotification::CustomNotification(message);
                    let _ = self.peer.send_notification(message).await;
                }
            }
            // Only calls of 2026-07-28 have these, and handle them in `OwnedCall::receive`.
            Event::Input(_) | Event::Unsupported(_) => {}
        }
    }
}

/// Converts a result into `rmcp`'s type.
///
/// - `resultType` is required since 2026-07-28; `rmcp` removes it for older clients.
/// - MCP requires the text of structured content in `content`, for clients that read only that. The
///   model behind the CLI never sees it, which is why [`Json`](crate::tool::Json) leaves it out.
fn into_rmcp_result(mut result: ToolResult, span: &Span) -> Result<CallToolResult, ErrorData> {
    if let Some(data) = &result.structured_content
        && result.content.is_empty()
    {
        result.content.push(Content::text(data.to_string()));
    }
    let internal = |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
    let json = serde_json::to_string(&result).map_err(internal)?;
    record_result(span, json.len(), || &json);
    let mut result: CallToolResult = serde_json::from_str(&json).map_err(internal)?;
    result.result_type = Some(ResultType::COMPLETE);
    Ok(result)
}
