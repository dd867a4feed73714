//! The conversation with a CLI as a state machine: bytes and time in, events and bytes out.
//!
//! ```text
//! space/receive ─► router ─┬ Event::Message ──► reader
//!                          ├ Event::Request ──► handler ─► respond ─┐
//!                          └ Event::Reply ────► whoever asked       ├─► poll_transmit
//!                                    send, request, withdraw ───────┘
//! ```
//!
//! The engine waits for nothing and calls nobody. Its owner reads into [`Engine::space`], takes
//! [events](Engine::poll_event), writes what [`Engine::poll_transmit`] gives, and tells it the time
//! when [`Engine::poll_timeout`] has come.

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
pub use self::run::SessionState;
use crate::control::incoming::Answer;
use crate::id::RequestId;
use crate::wire::{Line, Lines, Outgoing};

/// How an [`Engine`] behaves.
#[derive(Clone, Debug)]
pub struct Config {
    /// The longest line that is read; a longer one is passed over and reported.
    pub max_line: usize,
    /// How long a run may stay silent after a result while the CLI says that it is not idle;
    /// `None` for ever.
    pub ceiling: Option<Duration>,
}

/// One side of a conversation with a CLI.
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
    /// A conversation that has not begun.
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

    /// The buffer to append bytes from the CLI to; [`receive`](Self::receive) then looks at them.
    pub fn space(&mut self) -> &mut BytesMut {
        self.lines.space()
    }

    /// Takes note of the bytes appended to [`space`](Self::space).
    pub fn receive(&mut self, now: Instant) {
        while let Some(line) = self.lines.next_line() {
            self.route(line, now);
        }
    }

    /// Takes note that the CLI will write no more; an unfinished last line still counts.
    pub fn receive_end(&mut self, now: Instant) {
        if let Some(line) = self.lines.finish() {
            self.route(line, now);
        }
    }

    /// What has happened, in order.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Bytes for the CLI, in order: whole lines, or parts of a long one.
    ///
    /// Bytes that contain the end of a prompt end with it; see
    /// [`prompts_transmitted`](Self::prompts_transmitted).
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.outgoing.take()
    }

    /// Returns how many prompts [`poll_transmit`](Self::poll_transmit) has returned to their last
    /// byte, in the order in which they were [sent](Self::send).
    #[must_use]
    pub fn prompts_transmitted(&self) -> u64 {
        self.outgoing.prompts_taken()
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.outbound.next_deadline(), self.run.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Acts on every deadline that has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        for id in self.outbound.expire(now) {
            self.outgoing.cancel(&id.to_string());
            let outcome = Outcome::TimedOut;
            self.events.push_back(Event::Reply { id, outcome });
        }
        let ended = self.run.expire(now);
        self.run_ended_if(ended);
    }

    /// Sends a prompt.
    ///
    /// # Errors
    /// When it has no JSON form; nothing is sent then.
    pub fn send(&mut self, prompt: &impl Serialize) -> Result<(), serde_json::Error> {
        self.outgoing.prompt(prompt)?;
        self.run.prompted();
        Ok(())
    }

    /// Sends a request, given as the JSON text of its `request` object; its fate becomes known as
    /// [`Event::Reply`].
    ///
    /// See [`encode`](crate::control::encode) for how to make it.
    pub fn request(&mut self, body: &str, deadline: Option<Instant>) -> RequestId {
        let id = self.outbound.open(deadline);
        self.outgoing.request(&id.to_string(), body);
        id
    }

    /// Withdraws a request whose answer nobody wants any more. There will be no reply.
    pub fn withdraw(&mut self, id: RequestId) {
        if self.outbound.close(id) {
            self.outgoing.cancel(&id.to_string());
        }
    }

    /// Answers a request of the CLI.
    ///
    /// A ticket is used up by its answer, so there cannot be two. The answer to a request that the
    /// CLI has withdrawn meanwhile is dropped.
    pub fn respond(&mut self, ticket: Ticket, answer: Answer) {
        if self.inbound.close(&ticket) {
            self.outgoing.answer(ticket.request_id(), answer);
        }
    }

    /// Whether a request of the CLI still waits for its answer.
    #[must_use]
    pub fn is_open(&self, ticket: &Ticket) -> bool {
        self.inbound.is_open(ticket)
    }

    /// Whether some task of the session is known to be at work, in the background or not.
    #[must_use]
    pub fn has_tasks(&self) -> bool {
        self.run.has_tasks()
    }

    /// Whether a prompt was sent that no result has followed.
    #[must_use]
    pub fn awaits_result(&self) -> bool {
        self.run.awaits_result()
    }

    /// Returns whether a turn runs, or a prompt waits for one.
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
