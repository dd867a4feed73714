use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::outgoing::Initialize;
use serde_json::value::to_raw_value;
use tokio::time::timeout;

use super::{Bridge, Server};

/// How long all servers together may take to tell how they would begin.
const MANIFESTS: Duration = Duration::from_millis(250);

/// Tells the CLI of the servers in this process: their names, their settings, and how a session
/// with each would begin, which spares the CLI the first round trips.
pub(crate) async fn announce(
    mut initialize: Initialize,
    servers: &[(String, Arc<dyn Server>)],
    bridge: &Bridge,
) -> Initialize {
    let deadline = tokio::time::Instant::now() + MANIFESTS;
    for (key, server) in servers {
        initialize = initialize.sdk_mcp_server(key.clone());
        if let Some(config) = server.config() {
            initialize = initialize.sdk_mcp_server_config(key.clone(), config);
        }
        let Some(session) = bridge.session_of(key) else {
            continue;
        };
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        // One that is late is asked by the CLI itself.
        if let Ok(Some(manifest)) = timeout(left, session.manifest()).await {
            let manifest = to_raw_value(&manifest).expect("JSON in an object is JSON");
            initialize = initialize.sdk_mcp_server_manifest(key.clone(), manifest);
        }
    }
    initialize
}
