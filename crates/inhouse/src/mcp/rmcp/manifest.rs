use ::rmcp::ServerHandler;
use ::rmcp::model::RequestId;
use inhouse_proto::mcp::ToolAnnotations;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::session::{ReadOnlyTools, RmcpSession};
use crate::mcp::{Manifest, ServerSession};

/// Initializes the MCP session in place of the CLI, and returns the results.
///
/// A CLI that uses the manifest makes no handshake, so this is the handshake of the session, with
/// client info and `notifications/initialized`. A CLI that ignores the manifest makes another one,
/// which handlers must accept at any time.
pub(super) async fn capture<H: ServerHandler>(session: &RmcpSession<H>) -> Option<Manifest> {
    let initialize_result = request(session, "initialize", Some(initialize_params())).await?;
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

/// Returns the tools; `Some(None)` if there are more pages or the tools changed meanwhile, so that the
/// CLI has to list them itself.
async fn list<H: ServerHandler>(session: &RmcpSession<H>) -> Option<Option<Box<RawValue>>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Page {
        next_cursor: Option<IgnoredAny>,
        tools: Vec<ListedTool>,
    }
    #[derive(Deserialize)]
    struct ListedTool {
        name: String,
        #[serde(default)]
        annotations: ToolAnnotations,
    }
    let before = session.tool_changes();
    let list = request(session, "tools/list", None).await?;
    let page: Page = serde_json::from_str(list.get()).ok()?;
    let read_only = page.tools.into_iter();
    let read_only = read_only.filter(|tool| tool.annotations.read_only_hint == Some(true));
    session.note_read_only(ReadOnlyTools {
        names: read_only.map(|tool| tool.name).collect(),
        tool_changes: before,
    });
    let is_current = session.tool_changes() == before;
    Some((page.next_cursor.is_none() && is_current).then_some(list))
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

async fn request<H: ServerHandler>(
    session: &RmcpSession<H>,
    method: &str,
    params: Option<Value>,
) -> Option<Box<RawValue>> {
    // The ids of the CLI are numbers, so that they cannot collide with this one.
    let id = RequestId::String(format!("manifest:{method}").into());
    let params = params.map(|params| params.to_string());
    let (result, _) = session
        .handle_request(id, method, params.as_deref(), None)
        .await
        .inspect_err(|error| tracing::debug!(method, ?error, "MCP server has no manifest"))
        .ok()?;
    to_raw_value(&result).ok()
}

/// Returns the parameters with which the CLI sends `initialize`.
fn initialize_params() -> Value {
    json!({
        "protocolVersion": inhouse_proto::mcp::PROTOCOL_VERSIONS[0],
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": env!("CARGO_PKG_VERSION")},
    })
}
