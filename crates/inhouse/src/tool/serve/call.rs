use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, ProgressNotificationParam, ProgressToken,
    ResultType,
};
use ::rmcp::service::RequestContext;
use ::rmcp::{Peer, RoleServer};
use inhouse_proto::mcp::{CallToolResult as ToolResult, Content, ErrorCode};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Span;

use crate::session::Session;
use crate::tool::{CallContext, Canceller, McpClient, Progress, ServedTools, record_result};

/// Calls a tool for an `rmcp` client.
pub(super) async fn call(
    tools: &dyn ServedTools,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let canceller = Canceller::new();
    let cancelled = canceller.cancelled();
    let (progress, reports) = progress(context.meta.get_progress_token());
    let arguments = Value::Object(request.arguments.unwrap_or_default()).to_string();
    let tool_use_id = context.meta.get("claudecode/toolUseId");
    let call = CallContext {
        tool_use_id: tool_use_id.and_then(Value::as_str),
        cancelled,
        progress: &|| progress.clone(),
        client: &|| McpClient::new(None, cancelled),
        session: &Session::default(),
    };
    let running = tools.run(&request.name, &arguments, call);
    tokio::select! {
        biased;
        () = context.ct.cancelled() => {
            cancelled.cancel();
            let code = ::rmcp::model::ErrorCode(ErrorCode::CANCELLED);
            Err(ErrorData::new(code, "the request was cancelled", None))
        }
        finished = forward_reports(reports, &context.peer, running) => {
            let result = into_rmcp_result(finished.result, &finished.span);
            result.map_err(|error| ErrorData::internal_error(error.to_string(), None))
        }
    }
}

/// Converts a result into `rmcp`'s type.
///
/// - `resultType` is required since 2026-07-28; `rmcp` removes it for older clients.
/// - MCP requires the text of structured content in `content`, for clients that read only that. The
///   model behind the CLI never sees it, which is why [`Json`](crate::tool::Json) leaves it out.
fn into_rmcp_result(mut result: ToolResult, span: &Span) -> serde_json::Result<CallToolResult> {
    if let Some(data) = &result.structured_content
        && result.content.is_empty()
    {
        result.content.push(Content::text(data.to_string()));
    }
    let json = serde_json::to_string(&result)?;
    record_result(span, json.len(), || &json);
    let mut result: CallToolResult = serde_json::from_str(&json)?;
    result.result_type = Some(ResultType::COMPLETE);
    Ok(result)
}

/// Returns a `Progress` that does not wait for the client, and the receiver of its reports.
fn progress(
    token: Option<ProgressToken>,
) -> (Progress, UnboundedReceiver<ProgressNotificationParam>) {
    let (sender, reports) = unbounded_channel();
    let Some(token) = token else {
        return (Progress::new(None), reports);
    };
    let report = move |done, total: Option<f64>, message: Option<String>| {
        let mut report = ProgressNotificationParam::new(token.clone(), done);
        report.total = total;
        report.message = message;
        // Fails after the end of the call, when MCP allows no more reports.
        let _ = sender.send(report);
    };
    (Progress::new(Some(Arc::new(report))), reports)
}

/// Runs a call and sends its progress reports to the client, all of them before the result.
async fn forward_reports<T>(
    mut reports: UnboundedReceiver<ProgressNotificationParam>,
    client: &Peer<RoleServer>,
    running: impl Future<Output = T>,
) -> T {
    let mut running = pin!(running);
    let result = loop {
        tokio::select! {
            biased;
            Some(report) = reports.recv() => send_report(client, report).await,
            result = &mut running => break result,
        }
    };
    while let Ok(report) = reports.try_recv() {
        send_report(client, report).await;
    }
    result
}

async fn send_report(client: &Peer<RoleServer>, report: ProgressNotificationParam) {
    // Fails if the client has disconnected, which also cancels the call.
    let _ = client.notify_progress(report).await;
}
