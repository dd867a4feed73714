//! The agent loop of a fake CLI: answers prompts with a scripted model, and runs the tools of the host, as CLI 2.1.325 does.

mod config;
mod hooks;
mod interrupt;
mod lines;
mod link;
mod model_turn;
mod permission;
mod prompt;
mod requests;
mod result;
mod tools;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use self::config::{Config, State};
use self::link::Link;
use self::prompt::{Chat, PromptRun};
use self::tools::Servers;
use super::cli::FakeCli;
use super::conversation::{Conversation, Failure, kind};
use super::host::Prompt;
use super::session::fresh_id;
use crate::model::script::Script;

impl FakeCli {
    /// Accepts a session and answers its prompts until the end of input.
    ///
    /// # Errors
    /// If the host deviates from the protocol, or the model asks for something that a fake CLI does not have. A host that kills
    /// the CLI is not an error.
    pub(crate) async fn run_agent(mut self, script: Arc<Script>) -> Result<(), String> {
        match self.serve(script).await {
            Err(failure) if !failure.is_killed() => Err(failure.to_string()),
            _ => Ok(()),
        }
    }

    async fn serve(&mut self, script: Arc<Script>) -> Result<(), Failure> {
        let request = self.conversation.request("initialize").await?;
        let config = Config::new(&self.process.launched(), request.body());
        let state = State::new(&config);
        let mut reply = self.conversation.session().initialized();
        reply["current_permission_mode"] = state.mode.as_str().into();
        if config.initialize.get("sdkMcpServerManifests").is_some() {
            reply["sdk_mcp_manifests_parked"] = config.parked_manifests();
        }
        if config.initialize.get("hooks").is_some() {
            reply["hooks_applied"] = true.into();
        }
        request.try_succeed(Some(reply)).await?;

        let agent = Arc::new(Agent {
            link: Link::new(self.conversation.output().clone()),
            session_id: self.conversation.session_id().to_owned(),
            servers: Servers::default(),
            state: Mutex::new(state),
            config,
            script,
            unfinished: AtomicUsize::new(0),
            in_turn: AtomicBool::new(false),
            interrupted: Notify::new(),
        });
        let (queue, prompts) = mpsc::unbounded_channel();
        // Boxed for the small stacks of test threads.
        let mut worker = Box::pin(agent.clone().answer_prompts(prompts));
        let mut reader = Box::pin(agent.read(&mut self.conversation, queue));
        tokio::select! {
            biased;
            outcome = &mut worker => return outcome,
            outcome = &mut reader => outcome?,
        }
        // The queue is closed: the worker returns after the prompts in it.
        agent.link.close();
        worker.await
    }
}

/// One session of the agent loop, shared by the reader, the current turn and its tool calls.
struct Agent {
    link: Link,
    config: Config,
    session_id: String,
    state: Mutex<State>,
    servers: Servers,
    script: Arc<Script>,
    /// The prompts without a result.
    unfinished: AtomicUsize,
    in_turn: AtomicBool,
    interrupted: Notify,
}

impl Agent {
    /// Reads the lines of the host until the end of input.
    async fn read(
        &self,
        conversation: &mut Conversation,
        queue: mpsc::UnboundedSender<Prompt>,
    ) -> Result<(), Failure> {
        while let Some(line) = conversation.next_unlimited().await? {
            match line["type"].as_str() {
                Some("user") => self.queue_prompt(Prompt::new(line), &queue).await?,
                Some("control_response") => self.link.answered(&line),
                Some("control_request") => {
                    let request = conversation.take_request(line, "a request")?;
                    self.answer(request).await?;
                }
                Some("control_cancel_request" | "keep_alive") => {}
                _ => {
                    let expected = "a prompt, a request or an answer";
                    return Err(conversation.failure(expected, kind(&line)));
                }
            }
        }
        Ok(())
    }

    async fn queue_prompt(
        &self,
        prompt: Prompt,
        queue: &mpsc::UnboundedSender<Prompt>,
    ) -> Result<(), Failure> {
        if self.unfinished.fetch_add(1, Ordering::SeqCst) == 0 {
            self.set_state("running").await?;
        }
        self.lifecycle(&prompt, "queued").await?;
        // The receiver is gone only if the worker has failed, which ends the session.
        let _ = queue.send(prompt);
        Ok(())
    }

    async fn answer_prompts(
        self: Arc<Self>,
        mut prompts: mpsc::UnboundedReceiver<Prompt>,
    ) -> Result<(), Failure> {
        let mut chat = Chat::default();
        self.servers.connect(&self).await?;
        while let Some(prompt) = prompts.recv().await {
            self.servers.refresh(&self).await?;
            PromptRun::new(&self, &mut chat, prompt).finish().await?;
            if self.unfinished.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.set_state("idle").await?;
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a line with the members that every message has.
    async fn send(&self, mut line: Value) -> Result<(), Failure> {
        line["session_id"] = self.session_id.as_str().into();
        line["uuid"] = fresh_id().into();
        self.link.send(&line).await
    }

    async fn set_state(&self, state: &str) -> Result<(), Failure> {
        self.send(json!({
            "type": "system",
            "subtype": "session_state_changed",
            "state": state,
            "sdk_host_only": true,
        }))
        .await
    }

    async fn lifecycle(&self, prompt: &Prompt, state: &str) -> Result<(), Failure> {
        let Some(id) = prompt.uuid() else {
            return Ok(());
        };
        self.send(json!({"type": "command_lifecycle", "command_uuid": id, "state": state}))
            .await
    }
}
