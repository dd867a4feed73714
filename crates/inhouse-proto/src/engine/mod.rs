//! The session with a CLI as a state machine: bytes and time are inputs, events and bytes are outputs.
//!
//! ```text
//! space/receive ─► router ─┬ Event::Message ──► reader
//!                          ├ Event::Request ──► handler ─► respond ─┐
//!                          └ Event::Reply ────► caller              ├─► poll_transmit
//!                                    send, request, withdraw ───────┘
//! ```
//!
//! The engine never blocks and has no callbacks. Its owner reads bytes into [`Engine::space`] and calls
//! [`Engine::receive`], takes events from [`Engine::poll_event`], writes the bytes of [`Engine::poll_transmit`], and
//! calls [`Engine::handle_timeout`] at the time that [`Engine::poll_timeout`] returns.

mod event;
mod frame;
mod inbound;
mod outbound;
mod router;
mod run;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use serde::Serialize;

pub use self::event::{Event, Notice, Outcome};
pub use self::frame::Frame;
use self::inbound::Inbound;
pub use self::inbound::Ticket;
use self::outbound::Outbound;
use self::run::Run;
use crate::control::incoming::Answer;
use crate::id::RequestId;
use crate::wire::{Line, Lines, Outgoing};

/// The configuration of an [`Engine`].
#[derive(Clone, Debug)]
pub struct Config {
    /// Maximum length of a line in bytes. A longer line is skipped and reported as [`Notice::TooLong`].
    pub max_line: usize,
    /// Time without activity after which a run ends, if the CLI sent a result but does not report that it is idle.
    /// `None` means no limit.
    pub ceiling: Option<Duration>,
}

/// The host's side of a session with a CLI.
#[derive(Debug)]
pub struct Engine {
    lines: Lines,
    inbound: Inbound,
    outbound: Outbound,
    outgoing: Outgoing,
    run: Run,
    events: VecDeque<Event>,
}

impl Engine {
    /// Creates an engine for a new connection.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            lines: Lines::new(config.max_line),
            inbound: Inbound::default(),
            outbound: Outbound::default(),
            outgoing: Outgoing::default(),
            run: Run::new(config.ceiling),
            events: VecDeque::new(),
        }
    }

    /// Returns the buffer to append bytes of the CLI to. Call [`receive`](Self::receive) afterwards.
    pub fn space(&mut self) -> &mut BytesMut {
        self.lines.space()
    }

    /// Processes the bytes that were appended to [`space`](Self::space).
    pub fn receive(&mut self, now: Instant) {
        while let Some(line) = self.lines.next_line() {
            self.route(line, now);
        }
    }

    /// Processes the end of the output of the CLI. An unfinished last line is processed like a complete one.
    pub fn receive_end(&mut self, now: Instant) {
        if let Some(line) = self.lines.finish() {
            self.route(line, now);
        }
    }

    /// Returns the next event, in the order of occurrence.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the next bytes to write to the CLI: whole lines, or parts of a long line.
    ///
    /// Bytes that contain the end of a prompt contain nothing after it; see
    /// [`prompts_transmitted`](Self::prompts_transmitted).
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.outgoing.take()
    }

    /// Returns how many prompts [`poll_transmit`](Self::poll_transmit) has returned completely, in the order in which
    /// they were [sent](Self::send).
    #[must_use]
    pub fn prompts_transmitted(&self) -> u64 {
        self.outgoing.prompts_taken()
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout); `None` if there is no deadline.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.outbound.next_deadline(), self.run.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Handles every deadline that has passed: requests time out, and a run without activity ends.
    pub fn handle_timeout(&mut self, now: Instant) {
        for id in self.outbound.expire(now) {
            self.outgoing.cancel(&id.to_string());
            let outcome = Outcome::TimedOut;
            self.events.push_back(Event::Reply { id, outcome });
        }
        let ended = self.run.expire(now);
        self.run_ended_if(ended);
    }

    /// Queues a prompt and starts a run.
    ///
    /// # Errors
    /// If the prompt cannot be serialized. Nothing is sent then.
    pub fn send(&mut self, prompt: &impl Serialize) -> Result<(), serde_json::Error> {
        self.outgoing.prompt(prompt)?;
        self.run.prompted();
        Ok(())
    }

    /// Queues a prompt that starts no turn, and so no run; see
    /// [`Prompt::should_query`](crate::message::Prompt::should_query).
    ///
    /// # Errors
    /// If the prompt cannot be serialized. Nothing is sent then.
    pub fn send_without_turn(&mut self, prompt: &impl Serialize) -> Result<(), serde_json::Error> {
        self.outgoing.prompt(prompt)
    }

    /// Starts a run without a prompt, for a CLI that continues a turn whose call was deferred.
    pub fn await_turn(&mut self) {
        self.run.prompted();
    }

    /// Queues a control request, given as the JSON text of its `request` object.
    ///
    /// The outcome is reported as [`Event::Reply`]. [`encode`](crate::control::encode) creates the JSON text.
    pub fn request(&mut self, body: &str, deadline: Option<Instant>) -> RequestId {
        let id = self.outbound.open(deadline);
        self.outgoing.request(&id.to_string(), body);
        id
    }

    /// Cancels a request of the host. No [`Event::Reply`] follows.
    pub fn withdraw(&mut self, id: RequestId) {
        if self.outbound.close(id) {
            self.outgoing.cancel(&id.to_string());
        }
    }

    /// Answers a request of the CLI.
    ///
    /// The answer consumes the ticket, so a request cannot be answered twice. The answer to a request that the CLI has
    /// cancelled is dropped.
    pub fn respond(&mut self, ticket: Ticket, answer: Answer) {
        if let Some(request_id) = self.inbound.close(ticket) {
            self.outgoing.answer(&request_id, answer);
        }
    }

    /// Returns whether a request of the CLI still waits for its answer.
    #[must_use]
    pub fn is_open(&self, ticket: &Ticket) -> bool {
        self.inbound.is_open(ticket)
    }

    /// Returns whether the CLI has reported a task that has not ended, such as an agent, a shell or a monitor.
    #[must_use]
    pub fn has_tasks(&self) -> bool {
        self.run.has_tasks()
    }

    /// Returns whether a prompt was sent and no result has followed.
    #[must_use]
    pub fn awaits_result(&self) -> bool {
        self.run.awaits_result()
    }

    /// Returns whether the run of the last prompt has not ended.
    #[must_use]
    pub fn run_is_open(&self) -> bool {
        self.run.is_open()
    }

    /// Returns whether a prompt is waiting for its turn although the run has ended, as far as results show it.
    ///
    /// Always false for a CLI that reports its state: it is idle only after the last queued prompt.
    #[must_use]
    pub fn has_queued_prompts(&self) -> bool {
        self.run.has_queued_prompts()
    }

    /// Returns whether a turn is running, or a prompt is waiting for its turn.
    #[must_use]
    pub fn turn_is_running(&self) -> bool {
        self.run.turn_is_running()
    }

    fn route(&mut self, line: Line, now: Instant) {
        match line {
            Line::Whole(line) => self.route_line(line, now),
            Line::TooLong { bytes, sample } => {
                self.run.lost_line(now);
                self.notice(Notice::TooLong { bytes, sample });
            }
        }
    }

    fn notice(&mut self, notice: Notice) {
        self.events.push_back(Event::Notice(notice));
    }
}
