use ::rmcp::ServerHandler;
use ::rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::RmcpSession;
use crate::mcp::{Manifest, ServerSession};

/// Begins the session in the CLI's place, and keeps what the server said.
///
/// A CLI that takes the manifest makes no handshake of its own, so this *is* the handshake of the
/// session, to the last step: the handler learns who the client is, and that it is ready. One that
/// does not take it makes another, which a handler has to bear at any time.
pub(super) async fn capture<H: ServerHandler>(session: &RmcpSession<H>) -> Option<Manifest> {
    let initialize_result = ask(session, "initialize", Some(client())).await?;
    session.notification(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools_list_result = match has_tools(&initialize_result) {
        true => list(session).await?,
        false => None,
    };
    Some(Manifest {
        initialize_result,
        tools_list_result,
    })
}

/// The tools, if they are all there is to know: `Some(None)` when the CLI had better ask itself.
async fn list<H: ServerHandler>(session: &RmcpSession<H>) -> Option<Option<Box<RawValue>>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Page {
        next_cursor: Option<IgnoredAny>,
    }
    let before = session.tool_changes();
    let list = ask(session, "tools/list", None).await?;
    let page: Page = serde_json::from_str(list.get()).ok()?;
    let settled = session.tool_changes() == before;
    Some((page.next_cursor.is_none() && settled).then_some(list))
}

fn has_tools(initialize_result: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Initialized {
        capabilities: Capabilities,
    }
    #[derive(Deserialize)]
    struct Capabilities {
        tools: Option<IgnoredAny>,
    }
    serde_json::from_str(initialize_result.get())
        .is_ok_and(|Initialized { capabilities }| capabilities.tools.is_some())
}

async fn ask<H: ServerHandler>(
    session: &RmcpSession<H>,
    method: &str,
    params: Option<Value>,
) -> Option<Box<RawValue>> {
    // Unlike any id of the CLI, which are numbers.
    let id = RequestId::String(format!("manifest:{method}").into());
    let params = params.map(|params| params.to_string());
    let answer = session.answer(id, method, params.as_deref()).await;
    let (result, _) = answer
        .inspect_err(|error| tracing::debug!(method, ?error, "no manifest of an MCP server"))
        .ok()?;
    to_raw_value(&result).ok()
}

/// How the CLI introduces itself.
fn client() -> Value {
    json!({
        "protocolVersion": inhouse_proto::mcp::PROTOCOL_VERSIONS[0],
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": env!("CARGO_PKG_VERSION")},
    })
}
