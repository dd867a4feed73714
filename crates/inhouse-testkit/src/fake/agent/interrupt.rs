//! The end of a turn that the host interrupts.

use serde_json::{Value, json};

use super::lines;
use super::prompt::{Phase, PromptRun};
use super::result::End;
use crate::fake::conversation::Failure;
use crate::model::Usage;

impl PromptRun<'_> {
    /// Ends the turn at an interrupt of the host.
    pub(super) async fn interrupt(&mut self) -> Result<End, Failure> {
        self.agent.link.cancel_all().await?;
        match std::mem::take(&mut self.phase) {
            Phase::Tools(calls) => {
                let mut results = Vec::new();
                for call in calls {
                    let block = json!({
                        "type": "tool_result",
                        "content": REJECTED,
                        "is_error": true,
                        "tool_use_id": call.id,
                    });
                    let mut line = lines::user(&block);
                    line["tool_use_result"] = json!("User rejected tool use");
                    line["tool_result_meta"] =
                        json!([{"id": call.id, "non_execution_kind": "user-rejected"}]);
                    self.send_to_model(line).await?;
                    results.push(block);
                }
                self.push("user", results.into());
                self.say_interrupted(" for tool use").await?;
                Ok(End::Interrupted("aborted_tools"))
            }
            Phase::Streaming {
                message_id,
                usage,
                block,
                index,
            } => {
                let partial = block.as_ref().and_then(lines::interrupted_block);
                if let (Some(whole), Some(block)) = (partial, &block) {
                    let model = self.agent.state().model.clone();
                    let mut line = lines::assistant(&message_id, &model, usage, &whole);
                    line["aborted"] = json!(true);
                    self.send_block(line, block).await?;
                    self.push("assistant", json!([whole]));
                }
                self.say_interrupted("").await?;
                if self.agent.config.partial_messages {
                    self.close_stream(&message_id, index, usage).await?;
                }
                Ok(End::Interrupted("aborted_streaming"))
            }
            Phase::Other => {
                self.say_interrupted("").await?;
                Ok(End::Interrupted("aborted_streaming"))
            }
        }
    }

    async fn close_stream(&mut self, id: &str, index: usize, usage: Usage) -> Result<(), Failure> {
        let stop = json!({"type": "content_block_stop", "index": index});
        self.send_event(stop, id).await?;
        let delta = json!({
            "type": "message_delta",
            "context_management": null,
            "delta": {"container": null, "stop_details": null, "stop_reason": null, "stop_sequence": null},
            "usage": interrupted_usage(usage),
        });
        self.send_event(delta, id).await?;
        self.abandoned_blocks = Some(index + 1);
        self.send_event(json!({"type": "message_stop"}), id).await
    }

    pub(super) async fn say_interrupted(&mut self, during: &str) -> Result<(), Failure> {
        let text = format!("[Request interrupted by user{during}]");
        let block = json!({"type": "text", "text": text});
        self.send_to_model(lines::user(&block)).await?;
        self.push("user", json!([block]));
        Ok(())
    }
}

/// The result of a call that an interrupt broke off.
pub(super) const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/// Returns the token counts of an interrupted message.
fn interrupted_usage(usage: Usage) -> Value {
    let mut usage = usage.at_start();
    usage["fallback_credit"] = Value::Null;
    usage["iterations"] = json!([]);
    usage["output_tokens_details"] = json!({"thinking_tokens": 0});
    usage["server_tool_use"] = json!({"web_search_requests": 0, "web_fetch_requests": 0});
    usage
}
