//! One prompt: hooks, messages of the model, tool calls, result.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Agent;
use super::lines::{self, Tokens};
use super::model_turn::{Reply, name_of};
use super::result::End;
use super::tools::{Call, Done};
use crate::fake::conversation::Failure;
use crate::fake::host::Prompt;
use crate::fake::session::fresh_id;
use crate::model::turn::Block;
use crate::model::{Turn, Usage};

/// The conversation so far.
#[derive(Default)]
pub(super) struct Chat {
    pub(super) messages: Vec<Value>,
    pub(super) tokens: Tokens,
    pub(super) results: u64,
}

/// The answer to one prompt, in progress.
pub(super) struct PromptRun<'a> {
    pub(super) agent: &'a Arc<Agent>,
    pub(super) chat: &'a mut Chat,
    pub(super) prompt: Prompt,
    pub(super) tokens: Tokens,
    pub(super) phase: Phase,
    pub(super) thinking_tokens: usize,
    pub(super) started_streaming: bool,
    /// The first block that an interrupted message lacks.
    pub(super) abandoned_blocks: Option<usize>,
    pub(super) first_request: Tokens,
    named: bool,
    /// The messages of the model.
    pub(super) turns: u64,
    /// The messages of the CLI to the model.
    pub(super) notes: u64,
    pub(super) denials: Vec<Value>,
}

/// The work that an interrupt ends.
#[derive(Default)]
pub(super) enum Phase {
    #[default]
    Other,
    /// A message of the model stalls in its last block.
    Streaming {
        message_id: String,
        usage: Usage,
        block: Option<Block>,
        index: usize,
    },
    /// Tools run; the calls have no results yet.
    Tools(Vec<Call>),
}

impl<'a> PromptRun<'a> {
    pub(super) fn new(agent: &'a Arc<Agent>, chat: &'a mut Chat, prompt: Prompt) -> Self {
        Self {
            agent,
            chat,
            prompt,
            tokens: Tokens::default(),
            phase: Phase::Other,
            thinking_tokens: 0,
            started_streaming: false,
            abandoned_blocks: None,
            first_request: Tokens::default(),
            named: false,
            turns: 0,
            notes: 0,
            denials: Vec::new(),
        }
    }

    /// Answers the prompt, to its result.
    pub(super) async fn finish(mut self) -> Result<(), Failure> {
        let agent = Arc::clone(self.agent);
        agent.lifecycle(&self.prompt, "started").await?;
        // An interrupt that came too late for the last turn is not one of this turn.
        tokio::select! {
            biased;
            () = agent.interrupted.notified() => {}
            () = std::future::ready(()) => {}
        }
        agent.in_turn.store(true, Ordering::SeqCst);
        let end = {
            let mut turns = Box::pin(self.turns());
            tokio::select! {
                biased;
                end = &mut turns => Some(end?),
                () = agent.interrupted.notified() => None,
            }
        };
        agent.in_turn.store(false, Ordering::SeqCst);
        let end = match end {
            Some(end) => end,
            None => self.interrupt().await?,
        };
        let state = match end {
            End::Completed { .. } | End::MaxTurns(_) | End::Blocked(_) => "completed",
            End::ApiError { .. } | End::Interrupted(_) => "cancelled",
        };
        let result = self.result(end);
        agent.send(result).await?;
        agent.lifecycle(&self.prompt, state).await
    }

    async fn turns(&mut self) -> Result<End, Failure> {
        let text = self.prompt.text();
        self.agent.state().prompt_id = fresh_id();
        let members = json!({"prompt": text});
        let hooks = self
            .agent
            .call_hooks("UserPromptSubmit", None, members, None)
            .await?;
        let mut init = self.agent.init();
        if let Some(id) = self.prompt.uuid() {
            init["user_message_uuids"] = json!([id]);
        }
        self.agent.send(init).await?;
        if let Some(reason) = hooks.block() {
            return self.block(&text, &reason).await;
        }
        if self.agent.config.replays_prompts {
            self.replay_prompt().await?;
        }
        let mut content = match &self.prompt.line()["message"]["content"] {
            Value::Array(blocks) => blocks.clone(),
            text => vec![json!({"type": "text", "text": text})],
        };
        content.extend(
            hooks
                .contexts()
                .iter()
                .map(|context| format!("UserPromptSubmit hook additional context: {context}"))
                .map(|context| text_block(&reminder(&context))),
        );
        self.push("user", content.into());
        self.talk().await
    }

    /// Drops the prompt: a hook has blocked it.
    async fn block(&mut self, prompt: &str, reason: &str) -> Result<End, Failure> {
        let text = format!(
            "UserPromptSubmit operation blocked by hook:\n{reason}\n\nOriginal prompt: {prompt}"
        );
        self.agent
            .send(json!({
                "type": "system",
                "subtype": "informational",
                "content": text,
                "level": "warning",
                "prevent_continuation": true,
                "prompt_submit_outcome": {
                    "kind": "blocked_by_hook", "prompt_kept": false, "reason": reason,
                },
            }))
            .await?;
        Ok(End::Blocked(text))
    }

    /// Lets the model speak and its tools run until one of them ends the turn.
    async fn talk(&mut self) -> Result<End, Failure> {
        let mut stop_hook_active = false;
        loop {
            self.turns += 1;
            let turn = match self.ask_model().await? {
                Reply::Message(turn) => turn,
                Reply::Error { status, kind, text } => {
                    let mut line = lines::api_error(&text, name_of(status), status, &kind);
                    self.name_prompt_once(&mut line);
                    self.agent.send(line).await?;
                    return Ok(End::ApiError { status, kind, text });
                }
            };
            if self.first_request.input() == 0 {
                self.first_request.add(turn.usage);
            }
            let blocks: Vec<Value> = turn.blocks.iter().map(Block::whole).collect();
            let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
            let calls: Vec<_> = {
                let state = self.agent.state();
                calls
                    .map(|block| self.agent.servers.call(block, &state))
                    .collect()
            };
            self.push("assistant", blocks.into());
            if calls.is_empty() {
                match self.stop(&turn, stop_hook_active).await? {
                    Some(end) => return Ok(end),
                    None => stop_hook_active = true,
                }
                continue;
            }
            if let Some(end) = self.run_tools(calls, &turn).await? {
                return Ok(end);
            }
            if self
                .agent
                .config
                .max_turns
                .is_some_and(|max| self.turns >= max)
            {
                return Ok(End::MaxTurns(self.turns));
            }
        }
    }

    /// Asks the `Stop` hooks whether the turn ends; `None` if one of them continues it.
    async fn stop(&mut self, turn: &Turn, is_active: bool) -> Result<Option<End>, Failure> {
        let text = last_text(turn);
        let members = json!({
            "stop_hook_active": is_active,
            "last_assistant_message": text,
            "background_tasks": [],
            "session_crons": [],
        });
        let hooks = self.agent.call_hooks("Stop", None, members, None).await?;
        if let Some(reason) = hooks.block() {
            let text = format!("Stop hook feedback:\n{reason}");
            let block = json!({"type": "text", "text": text});
            let mut line = lines::user(&block);
            line["isSynthetic"] = json!(true);
            self.send_to_model(line).await?;
            self.agent
                .send(json!({
                    "type": "system",
                    "subtype": "notification",
                    "key": "stop-hook-error",
                    "priority": "immediate",
                    "text": "Stop hook error occurred · ctrl+o to see",
                }))
                .await?;
            self.push("user", json!([block]));
            return Ok(None);
        }
        Ok(Some(End::Completed {
            text,
            stop_reason: turn.final_stop_reason().to_owned(),
            reason: if hooks.stops() {
                "stop_hook_prevented"
            } else {
                "completed"
            },
        }))
    }

    /// Runs the tool calls of a message: read-only ones that follow each other at once, others one by one.
    async fn run_tools(&mut self, calls: Vec<Call>, turn: &Turn) -> Result<Option<End>, Failure> {
        let mut content = Vec::new();
        let (mut interrupts, mut stops) = (false, false);
        let mut open = calls;
        while !open.is_empty() {
            let batch = match open.iter().position(|call| !call.is_read_only) {
                Some(0) => 1,
                Some(read_only) => read_only,
                None => open.len(),
            };
            self.phase = Phase::Tools(open.clone());
            let batch: Vec<_> = open.drain(..batch).collect();
            let mut contexts = Vec::new();
            for done in self.run_batch(batch).await? {
                let mut line = lines::user(&done.block);
                for (name, value) in done.extra {
                    line[name] = value;
                }
                self.send_to_model(line).await?;
                content.push(with_comments(done.block, &done.comments));
                contexts.extend(done.contexts);
                self.denials.extend(done.denial);
                interrupts |= done.interrupts;
                stops |= done.stops;
            }
            content.extend(
                contexts
                    .iter()
                    .map(|context| text_block(&reminder(context))),
            );
            if interrupts {
                break;
            }
        }
        self.phase = Phase::Other;
        self.push("user", content.into());
        if interrupts {
            self.say_interrupted(" for tool use").await?;
            return Ok(Some(End::Interrupted("aborted_tools")));
        }
        Ok(stops.then(|| End::Completed {
            text: last_text(turn),
            stop_reason: turn.final_stop_reason().to_owned(),
            reason: "hook_stopped",
        }))
    }

    async fn run_batch(&self, batch: Vec<Call>) -> Result<Vec<Done>, Failure> {
        let mut running = JoinSet::new();
        for (index, call) in batch.into_iter().enumerate() {
            let agent = Arc::clone(self.agent);
            running.spawn(async move { (index, agent.call(call).await) });
        }
        let mut done = running.join_all().await;
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, done)| done).collect()
    }

    async fn replay_prompt(&self) -> Result<(), Failure> {
        let mut line = self.prompt.line().clone();
        line["isReplay"] = json!(true);
        line["timestamp"] = json!(lines::TIMESTAMP);
        line["session_id"] = self.agent.session_id.as_str().into();
        self.agent.link.send(&line).await
    }

    /// Names the prompt on the first message of its answer only.
    pub(super) fn name_prompt_once(&mut self, line: &mut Value) {
        if !std::mem::replace(&mut self.named, true) {
            self.name_prompt(line);
        }
    }

    pub(super) fn name_prompt(&self, line: &mut Value) {
        if let Some(id) = self.prompt.uuid() {
            line["user_message_uuid"] = id.into();
            line["user_message_uuids"] = json!([id]);
        }
    }

    /// Sends a message of the CLI to the model, which counts as a turn.
    pub(super) async fn send_to_model(&mut self, line: Value) -> Result<(), Failure> {
        self.notes += 1;
        self.agent.send(line).await
    }

    pub(super) fn push(&mut self, role: &str, content: Value) {
        // The CLI sends messages of the user that follow each other as one.
        if let Some(last) = self.chat.messages.last_mut()
            && last["role"] == role
            && let (Some(blocks), Value::Array(more)) = (last["content"].as_array_mut(), &content)
        {
            if let Some(text) = blocks.last_mut().and_then(|block| block.get_mut("text")) {
                *text = format!("{}\n", text.as_str().unwrap_or_default()).into();
            }
            blocks.extend(more.iter().cloned());
            return;
        }
        self.chat
            .messages
            .push(json!({"role": role, "content": content}));
    }
}

fn last_text(turn: &Turn) -> String {
    let mut blocks = turn.blocks.iter().rev();
    let text = blocks.find_map(|block| match block {
        Block::Text(text) => Some(text.clone()),
        _ => None,
    });
    text.unwrap_or_default()
}

/// Returns the form in which the CLI gives the model a context.
fn reminder(context: &str) -> String {
    format!("<system-reminder>\n{context}\n</system-reminder>")
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Adds comments to the text of a tool result, as the model gets it.
fn with_comments(mut block: Value, comments: &[String]) -> Value {
    for comment in comments {
        let comment = format!("\n\n{}", reminder(comment));
        let content = match block["content"].as_array_mut() {
            Some(blocks) => blocks.last_mut().and_then(|block| block.get_mut("text")),
            None => Some(&mut block["content"]),
        };
        if let Some(Value::String(text)) = content {
            text.push_str(&comment);
        }
    }
    block
}
