use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::outgoing::Initialize;
use serde_json::value::to_raw_value;
use tokio::time::{Instant, timeout_at};

use super::{Bridge, Server};

/// Limits how long all servers together may take to return their manifests.
const MANIFEST_TIMEOUT: Duration = Duration::from_millis(250);

/// Adds the in-process servers to `initialize`: names, settings and manifests.
///
/// A manifest holds the results of `initialize` and `tools/list`, which saves the CLI two round trips
/// per server. The CLI requests them itself from a server whose manifest is late.
pub(crate) async fn add_servers(
    mut initialize: Initialize,
    servers: &[(String, Arc<dyn Server>)],
    bridge: &Bridge,
) -> Initialize {
    let deadline = Instant::now() + MANIFEST_TIMEOUT;
    for (key, server) in servers {
        initialize = initialize.sdk_mcp_server(key.clone());
        if let Some(config) = server.config() {
            initialize = initialize.sdk_mcp_server_config(key.clone(), config);
        }
        let Some(session) = bridge.session_of(key) else {
            continue;
        };
        if let Ok(Some(manifest)) = timeout_at(deadline, session.manifest()).await {
            let manifest = to_raw_value(&manifest).expect("a manifest consists of JSON");
            initialize = initialize.sdk_mcp_server_manifest(key.clone(), manifest);
        }
    }
    initialize
}
