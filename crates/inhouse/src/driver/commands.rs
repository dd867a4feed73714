//! Commands of the session's handles: prompts, control requests, close.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use inhouse_proto::engine::Frame;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tracing::Span;

use super::{Driver, now};
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::Mark;
use crate::stream::Item;

/// A command for the driver, sent by [`Control`](crate::Control) or by an in-process MCP server.
pub(crate) enum Command {
    /// Writes a prompt; `done` is notified when stdin has taken its last byte.
    Send {
        /// The id of the prompt.
        id: String,
        /// Whether the prompt starts a turn, which has a result.
        starts_turn: bool,
        prompt: Box<RawValue>,
        /// The prompt whose turn was cut off, if this one continues it.
        continues: Option<String>,
        /// The span in which the prompt was sent.
        caller: Span,
        done: oneshot::Sender<Result<()>>,
    },
    /// Closes stdin once the run of the last prompt has ended, as that of a query.
    EndInput {
        /// Why the rest of the prompts was not sent.
        error: Option<Error>,
    },
    /// Waits for a turn that the CLI continues by itself when it starts. Sent before anything is read.
    AwaitTurn {
        /// The ids of the prompt, and of those that have continued its turn.
        prompts: Vec<String>,
        /// The span in which the session was opened.
        caller: Span,
    },
    /// Delivers the stored result of a prompt that was answered before the session was resumed.
    Deliver {
        result: String,
        done: oneshot::Sender<Result<()>>,
    },
    /// Sends a control request and reports its reply.
    Request(ControlCall),
    /// Sends a control request without a receiver for the reply.
    Post { body: String, timeout: Duration },
    /// Withdraws a [`Request`](Self::Request) whose future was dropped.
    Withdraw { key: u64 },
    /// Reports that the store has everything up to a mark, or why it does not.
    Mirrored(Result<Mark>),
    /// Reports for how long this host may work on the session.
    LeaseRenewed(Duration),
    /// Reports that this host may not work on the session any longer, or that it cannot record the session's calls.
    SessionLost(Error),
    /// Ends the session; `done` is notified when it has ended.
    Close {
        mode: CloseMode,
        done: Option<oneshot::Sender<()>>,
    },
}

/// A control request and the sender for its reply.
pub(crate) struct ControlCall {
    /// Identifies the call before the engine has given it a request id.
    pub(crate) key: u64,
    pub(crate) subtype: &'static str,
    /// The JSON text of the `request` object.
    pub(crate) body: String,
    pub(crate) deadline: Option<Instant>,
    pub(crate) reply: oneshot::Sender<Result<Option<Bytes>>>,
}

/// How [`Command::Close`] ends the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseMode {
    /// Interrupts a running turn, then closes stdin, then grace period, TERM, KILL.
    Graceful,
    /// The same steps with at most a second each, for a CLI that did not accept the session.
    Short,
    /// Kills at once.
    Kill,
}

impl Driver {
    pub(super) fn poll_commands(&mut self, cx: &mut Context<'_>) {
        // Bounded by the number of queued commands, so that a caller that sends without pause
        // cannot keep the driver from reading and writing.
        for _ in 0..=self.commands.len() {
            if self.shutdown.handles_dropped() {
                return;
            }
            match self.commands.poll_recv(cx) {
                Poll::Ready(Some(command)) => self.handle_command(command),
                Poll::Ready(None) => self.handle_handles_dropped(),
                Poll::Pending => return,
            }
        }
        cx.waker().wake_by_ref();
    }

    /// Handles the commands that are queued now.
    pub(super) fn handle_queued_commands(&mut self) {
        for _ in 0..self.commands.len() {
            let Ok(command) = self.commands.try_recv() else {
                return;
            };
            self.handle_command(command);
        }
    }

    // A failed `send` of a result means that the caller has dropped its future.
    fn handle_command(&mut self, command: Command) {
        match command {
            Command::Send {
                id,
                starts_turn,
                prompt,
                continues,
                caller,
                done,
            } => {
                if !self.shutdown.accepts_input() {
                    return drop(done.send(Err(input_closed())));
                }
                let sent = match starts_turn {
                    true => self.engine.send(&prompt),
                    false => self.engine.send_without_turn(&prompt),
                };
                match sent {
                    Ok(()) => {
                        if starts_turn {
                            self.telemetry.begin_turn(id.clone(), &caller);
                            self.messages.discard_run_ends();
                        }
                        if let Some(mirror) = &mut self.mirror {
                            mirror.note_prompt(id.clone(), prompt.get(), starts_turn);
                            if let Some(continued) = continues {
                                mirror.note_continued(vec![continued], Some(id));
                            }
                        }
                        self.waiters.await_written(done);
                    }
                    Err(error) => {
                        let text = "the prompt cannot be serialized";
                        let error = Error::new(ErrorKind::Config, text).with_source(error);
                        drop(done.send(Err(error)));
                    }
                }
            }
            Command::EndInput { error } => {
                self.shutdown.end_input(error);
                if !self.engine.run_is_open() {
                    self.handle_run_end();
                }
            }
            Command::AwaitTurn { prompts, caller } => {
                if let Some(prompt) = prompts.first() {
                    self.telemetry.begin_turn(prompt.clone(), &caller);
                }
                if let Some(mirror) = &mut self.mirror {
                    mirror.note_continued(prompts, None);
                }
                self.engine.await_turn();
            }
            Command::Deliver { result, done } => {
                if !self.shutdown.accepts_input() {
                    return drop(done.send(Err(input_closed())));
                }
                let Some(frame) = Frame::result(result) else {
                    let text = "the stored result of the prompt is not valid JSON";
                    return drop(done.send(Err(Error::new(ErrorKind::Store, text))));
                };
                self.messages.discard_run_ends();
                self.shutdown.note_message(&frame);
                self.messages.push(Item::Message(frame));
                self.messages.push(Item::RunEnded { answered: true });
                self.messages.flush();
                self.handle_run_end();
                drop(done.send(Ok(())));
            }
            Command::Request(call) => {
                if !self.shutdown.accepts_input() {
                    return drop(call.reply.send(Err(input_closed())));
                }
                let id = self.engine.request(&call.body, call.deadline);
                self.waiters.await_reply(id, call);
            }
            Command::Post { body, timeout } => {
                if self.shutdown.stdin_is_open() {
                    self.engine.request(&body, now().checked_add(timeout));
                }
            }
            Command::Withdraw { key } => {
                if let Some(id) = self.waiters.withdraw(key) {
                    self.engine.withdraw(id);
                }
            }
            // A result that is delivered after the loss of the session may be that of another host, too.
            Command::Mirrored(Ok(_)) if self.session_lost.is_some() => {}
            Command::Mirrored(Ok(mark)) => {
                if let Some(lost) = self.lease_loss() {
                    return self.lose_session(lost);
                }
                if let Some(mirror) = &self.mirror {
                    mirror.note_stored(mark);
                }
                self.messages.release(mark);
            }
            Command::Mirrored(Err(error)) => self.handle_store_failure(&error),
            Command::LeaseRenewed(time) => self.peer.kill_after(time),
            Command::SessionLost(error) => self.lose_session(error),
            Command::Close { mode, done } => {
                self.closers.extend(done);
                self.close(mode);
            }
        }
    }
}

impl Driver {
    /// Returns why this host may not work on the session any longer, although the renewal of its lease has not reported it yet.
    ///
    /// A host that was stopped may read an acknowledgement of its store before anything else when it continues.
    pub(super) fn lease_loss(&self) -> Option<Error> {
        self.session.as_ref()?.lease_loss()
    }

    fn lose_session(&mut self, error: Error) {
        self.handle_store_failure(&error);
        self.session_lost = Some(error);
    }
}

/// Returns the error for what cannot be written because stdin is closed.
pub(super) fn input_closed() -> Error {
    Error::new(
        ErrorKind::Closed,
        "the input of the session is closed; start a new session to send more",
    )
}
