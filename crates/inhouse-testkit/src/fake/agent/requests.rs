//! Control requests of the host.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::Agent;
use crate::fake::conversation::Failure;
use crate::fake::host::{HostAnswer, HostRequest};

impl Agent {
    /// Answers a request of the host.
    pub(super) async fn answer(&self, request: HostRequest) -> Result<(), Failure> {
        let body = request.body().clone();
        match body["subtype"].as_str().unwrap_or_default() {
            "interrupt" => {
                request
                    .try_succeed(Some(json!({"still_queued": []})))
                    .await?;
                if self.in_turn.load(Ordering::SeqCst) {
                    self.interrupted.notify_one();
                }
                Ok(())
            }
            "set_permission_mode" => {
                let mode = body["mode"].as_str().unwrap_or_default();
                mode.clone_into(&mut self.state().mode);
                request.try_succeed(Some(json!({"mode": mode}))).await?;
                self.send(json!({
                    "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
                }))
                .await
            }
            "set_model" => {
                let model = body["model"].as_str().unwrap_or(&self.config.model);
                model.clone_into(&mut self.state().model);
                request.try_succeed(Some(json!({"model": model}))).await
            }
            "mcp_message" => {
                self.servers.notified(&body);
                request.try_succeed(None).await
            }
            "mcp_status" => {
                let servers = self.servers.status();
                request
                    .try_succeed(Some(json!({"mcpServers": servers})))
                    .await
            }
            subtype if KNOWN.contains(&subtype) => request.try_succeed(None).await,
            subtype => {
                let error = format!("Unsupported control request subtype: {subtype}");
                request
                    .try_refuse(&error, Some("unsupported_request"))
                    .await
            }
        }
    }
}

/// Requests that succeed without an effect that a test could see.
const KNOWN: [&str; 8] = [
    "apply_flag_settings",
    "end_session",
    "rename_session",
    "set_color",
    "set_has_subscribers",
    "set_max_thinking_tokens",
    "update_settings",
    "initialize",
];

/// Returns the payload of a successful answer, or the error text.
pub(super) fn payload(answer: HostAnswer) -> Result<Value, String> {
    match answer {
        HostAnswer::Success(payload) => Ok(payload),
        HostAnswer::Error { error, .. } => Err(error),
    }
}
