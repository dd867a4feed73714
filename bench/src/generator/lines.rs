//! The constant lines of the CLI, as 2.1.325 writes them.

use memchr::memmem;

use super::operation::text_of;

const STATE: &str = r#"{"type":"system","subtype":"session_state_changed","state":"STATE","sdk_host_only":true,"uuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a10","session_id":"a1b2c3"}
"#;
pub(crate) const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/srv","session_id":"a1b2c3","tools":["Bash"],"mcp_servers":[],"model":"claude-opus-5-5","permissionMode":"default","slash_commands":[],"apiKeySource":"none","claude_code_version":"2.1.325","output_style":"default","agents":[],"skills":[],"plugins":[],"uuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a11"}
"#;
pub(crate) const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":256,"duration_api_ms":65,"num_turns":1,"result":"done","stop_reason":"end_turn","session_id":"a1b2c3","total_cost_usd":0.0004,"usage":{"input_tokens":12,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0},"modelUsage":{},"permission_denials":[],"uuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a12"}
"#;

/// The number of messages in a handshake with a server.
pub(crate) const HANDSHAKE_STEPS: usize = 3;

/// Returns the line for the session state `running` or `idle`.
pub(crate) fn state(state: &str) -> String {
    STATE.replace("STATE", state)
}

/// Returns whether `initialize` has the manifest of a server, which replaces its handshake.
pub(crate) fn has_manifest(initialize: &[u8], server: &str) -> bool {
    let Some(manifests) = memmem::find(initialize, b"\"sdkMcpServerManifests\":") else {
        return false;
    };
    let needle = format!("\"{server}\":{{\"initializeResult\":");
    memmem::find(&initialize[manifests..], needle.as_bytes()).is_some()
}

/// Returns the response to `initialize`.
pub(crate) fn initialized(id: &str, parked: &[String]) -> String {
    let parked: Vec<String> = parked
        .iter()
        .map(|name| format!("\"{name}\":\"parked\""))
        .collect();
    let parked = parked.join(",");
    format!(
        "{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"success\",\"request_id\":\"{id}\",\"response\":{{\
         \"commands\":[],\"agents\":[],\"output_style\":\"default\",\"available_output_styles\":[\"default\"],\
         \"models\":[],\"account\":{{}},\"pid\":{},\"claude_code_version\":\"2.1.325\",\
         \"sdk_mcp_manifests_parked\":{{{parked}}}}}}}}}\n",
        std::process::id()
    )
}

/// Returns one message of the handshake with a server.
pub(crate) fn handshake(server: &str, id: &str, step: usize) -> String {
    let message = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.325"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    ][step];
    format!(
        "{{\"type\":\"control_request\",\"request_id\":\"{id}\",\"request\":{{\"subtype\":\"mcp_message\",\"server_name\":\"{server}\",\"message\":{message}}}}}\n"
    )
}

/// Returns an assistant message with a text of this length.
pub(crate) fn message(bytes: usize) -> Vec<u8> {
    let head = br#"{"type":"assistant","message":{"id":"msg_0123456789abcdef","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":""#;
    let tail = br#""}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"output_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"parent_tool_use_id":null,"session_id":"a1b2c3","uuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a13"}"#;
    [head.as_slice(), &text_of(bytes), tail, b"\n"].concat()
}

/// Returns a `transcript_mirror` frame with one entry of this length.
pub(crate) fn frame(bytes: usize) -> Vec<u8> {
    let head = br#"{"type":"transcript_mirror","filePath":"/srv/.claude/projects/-srv/5e551045-0000-4000-8000-000000000000.jsonl","entries":["#;
    let entry = br#"{"parentUuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a14","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_0123456789abcdef","type":"tool_result","content":""#;
    let end = br#""}]},"uuid":"9d2f5f6e-8f1c-4a52-9a3d-0f3b5e1c2a15","timestamp":"2026-11-17T09:30:00.250Z","userType":"external","entrypoint":"sdk-cli","cwd":"/srv","sessionId":"5e551045-0000-4000-8000-000000000000","version":"2.1.325","gitBranch":"main"}"#;
    let text = text_of(bytes.saturating_sub(entry.len() + end.len()));
    [head.as_slice(), entry, &text, end, b"]}\n"].concat()
}
