//! One message of the model: the request, its events, its errors.

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::lines;
use super::prompt::{Phase, PromptRun};
use crate::fake::conversation::Failure;
use crate::model::script::Chosen;
use crate::model::turn::{Block, Ending};
use crate::model::{Answer, ApiError, ModelRequest, Turn, sse};

/// The answer of the model.
pub(super) enum Reply {
    Message(Turn),
    Error {
        status: u16,
        kind: Value,
        text: String,
    },
}

/// The attempts for one answer.
#[derive(Default)]
struct Attempts {
    announced: u64,
    silent: u64,
}

impl PromptRun<'_> {
    /// Asks the model for the next message, and again after an error as often as the CLI does.
    pub(super) async fn ask_model(&mut self) -> Result<Reply, Failure> {
        let mut attempts = Attempts::default();
        loop {
            if self.agent.config.partial_messages {
                let mut line =
                    json!({"type": "system", "subtype": "status", "status": "requesting"});
                if let Some(id) = self.prompt.uuid() {
                    line["user_message_uuids"] = json!([id]);
                }
                self.agent.send(line).await?;
            }
            let request = ModelRequest::in_process(self.request_body());
            let Chosen {
                answer,
                message_id,
                released,
                ..
            } = self.agent.script.choose(request);
            let error = match answer {
                Answer::Turn(turn) => match self.stream(&turn, &message_id, released).await? {
                    None => return Ok(Reply::Message(turn)),
                    Some(error) => error,
                },
                Answer::Error(error) => error,
            };
            if !self.tries_again(&error, &mut attempts).await? {
                return Ok(self.give_up(&error));
            }
        }
    }

    fn request_body(&self) -> Value {
        json!({
            "model": self.agent.state().model,
            "max_tokens": 32_000,
            "stream": true,
            "system": self.agent.config.system_prompt(),
            "messages": self.chat.messages,
            "tools": self.agent.servers.offered(&self.agent.state()),
        })
    }

    /// Sends the lines of a message; returns an error if it breaks off.
    async fn stream(
        &mut self,
        turn: &Turn,
        message_id: &str,
        released: oneshot::Receiver<()>,
    ) -> Result<Option<ApiError>, Failure> {
        let model = self.agent.state().model.clone();
        let (opening, closing) = sse::events(turn, message_id, &model);
        for event in opening {
            self.event(event, turn, message_id, &model).await?;
        }
        match &turn.ending {
            Ending::Complete => {}
            Ending::Stall => {
                self.phase = Phase::Streaming {
                    message_id: message_id.to_owned(),
                    usage: turn.usage,
                    block: turn.blocks.last().cloned(),
                    index: turn.blocks.len().saturating_sub(1),
                };
                // The sender is dropped only with the script.
                let _ = released.await;
                self.phase = Phase::default();
            }
            // A connection that breaks has no status.
            Ending::Disconnect => return Ok(Some(Turn::error(0).message("Connection error."))),
            Ending::Fail(error) => return Ok(Some(error.clone())),
        }
        for event in closing {
            self.event(event, turn, message_id, &model).await?;
        }
        self.tokens.add(turn.usage);
        self.chat.tokens.add(turn.usage);
        Ok(None)
    }

    async fn event(
        &mut self,
        event: Value,
        turn: &Turn,
        message_id: &str,
        model: &str,
    ) -> Result<(), Failure> {
        if event["type"] == "content_block_stop" {
            let index = event["index"]
                .as_u64()
                .and_then(|index| usize::try_from(index).ok());
            if let Some(block) = index.and_then(|index| turn.blocks.get(index)) {
                let line = lines::assistant(message_id, model, turn.usage, &block.whole());
                self.send_block(line, block).await?;
            }
        }
        self.send_event(event, message_id).await
    }

    pub(super) async fn send_block(
        &mut self,
        mut line: Value,
        block: &Block,
    ) -> Result<(), Failure> {
        match block {
            Block::Thinking(_) => {
                line["thinking_duration_ms"] = json!(1);
                line["thinking_display"] = json!("updates");
            }
            Block::ToolUse { .. } => {
                let call = self.agent.servers.call(&block.whole(), &self.agent.state());
                if let Some(meta) = call.meta() {
                    line["tool_use_meta"] = meta;
                }
            }
            _ => {}
        }
        self.name_prompt_once(&mut line);
        self.agent.send(line).await
    }

    /// Sends an event of a streamed message.
    pub(super) async fn send_event(
        &mut self,
        event: Value,
        message_id: &str,
    ) -> Result<(), Failure> {
        let delta = &event["delta"];
        if let Some(text) = delta["thinking"].as_str() {
            let tokens = text.len().div_ceil(4);
            self.thinking_tokens += tokens;
            let mut line = json!({
                "type": "system",
                "subtype": "thinking_tokens",
                "estimated_tokens": self.thinking_tokens,
                "estimated_tokens_delta": tokens,
            });
            if let Some(id) = self.prompt.uuid() {
                line["user_message_uuid"] = id.into();
            }
            self.agent.send(line).await?;
        }
        if event["type"] == "message_start" {
            self.thinking_tokens = 0;
        }
        if !self.agent.config.partial_messages {
            return Ok(());
        }
        let is_thinking =
            event["content_block"]["type"] == "thinking" || delta["type"] == "thinking_delta";
        let is_start = event["type"] == "message_start";
        let mut line = json!({
            "type": "stream_event",
            "event": event,
            "parent_tool_use_id": null,
            "api_message_id": message_id,
        });
        if is_start {
            line["ttft_ms"] = json!(1);
            if !self.started_streaming {
                self.started_streaming = true;
                line["owed_rows"] = json!([]);
                self.name_prompt(&mut line);
            }
        }
        if is_start || is_thinking {
            line["thinking_display"] = json!("updates");
        }
        if let Some(first) = self.abandoned_blocks.take() {
            line["abandoned_blocks"] =
                json!({"api_message_id": message_id, "from_block_index": first});
        }
        self.agent.send(line).await
    }

    /// Counts an attempt; returns whether there is another one.
    async fn tries_again(
        &mut self,
        error: &ApiError,
        attempts: &mut Attempts,
    ) -> Result<bool, Failure> {
        let max = self.agent.config.max_retries;
        match error.status() {
            400 | 404 => {
                attempts.silent += 1;
                let limit = if error.status() == 400 { 5 } else { 1 };
                return Ok(attempts.silent <= limit);
            }
            _ if error.is_final() => return Ok(false),
            529 if attempts.announced >= max.min(2) => return Ok(false),
            _ if attempts.announced >= max => return Ok(false),
            _ => attempts.announced += 1,
        }
        self.agent
            .send(json!({
                "type": "system",
                "subtype": "api_retry",
                "attempt": attempts.announced,
                "max_retries": max,
                "retry_delay_ms": 1,
                "error_status": Some(error.status()).filter(|status| *status != 0),
                "error": name_of(error.status()),
            }))
            .await?;
        Ok(true)
    }

    fn give_up(&self, error: &ApiError) -> Reply {
        let body = error.body();
        let status = error.status();
        let message = body["error"]["message"].as_str().unwrap_or_default();
        let text = match status {
            401 => format!("Failed to authenticate. API Error: {status} {message}"),
            404 => format!(
                "There's an issue with the selected model ({}). It may not exist or you may not have access to it. \
                 Run --model to pick a different model.",
                self.agent.state().model
            ),
            0 => format!("API Error: {message}"),
            500.. => format!(
                "API Error: {status} {message}. This is a server-side issue, usually temporary — try again in a moment. \
                 If it persists, check your inference gateway (127.0.0.1:80)."
            ),
            _ => format!("API Error: {status} {message}"),
        };
        Reply::Error {
            status,
            kind: body["error"]["type"].clone(),
            text,
        }
    }
}

/// Returns the CLI's name of an error.
pub(super) fn name_of(status: u16) -> &'static str {
    match status {
        401 | 403 => "authentication_failed",
        429 => "rate_limit",
        529 => "overloaded",
        404 => "model_not_found",
        413 => "invalid_request",
        0 | 400..=499 => "unknown",
        _ => "server_error",
    }
}
