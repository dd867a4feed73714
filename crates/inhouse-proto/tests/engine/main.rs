//! Tests of the engine as a state machine, without a runtime and with a fake clock.

mod answers;
mod deadlines;
mod lines;
mod replies;
mod runs;

use std::time::{Duration, Instant};

use inhouse_proto::control::IncomingRequest;
use inhouse_proto::engine::{Config, Engine, Event, Ticket};
use serde_json::Value;

/// An engine and a fake clock.
struct Host {
    engine: Engine,
    now: Instant,
}

impl Host {
    fn new() -> Self {
        Self {
            engine: Engine::new(Config {
                max_line: 1 << 20,
                ceiling: Some(Duration::from_secs(600)),
            }),
            now: Instant::now(),
        }
    }

    /// Passes a line of the CLI to the engine and returns the events.
    fn receive(&mut self, line: impl ToString) -> Vec<Event> {
        self.receive_bytes(format!("{}\n", line.to_string()).as_bytes())
    }

    fn receive_bytes(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.engine.space().extend_from_slice(bytes);
        self.engine.receive(self.now);
        self.events()
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.engine.poll_event()).collect()
    }

    /// Advances the clock and returns the events.
    fn advance(&mut self, time: Duration) -> Vec<Event> {
        self.now += time;
        self.engine.handle_timeout(self.now);
        self.events()
    }

    /// Returns the lines that the engine has written since the last call.
    fn sent(&mut self) -> Vec<Value> {
        let bytes = self.engine.poll_transmit().unwrap_or_default();
        assert!(
            bytes.is_empty() || bytes.ends_with(b"\n"),
            "lines are complete"
        );
        bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).expect("lines are JSON"))
            .collect()
    }
}

/// Returns the request of the only event.
fn request(events: Vec<Event>) -> (Ticket, IncomingRequest) {
    match <[Event; 1]>::try_from(events) {
        Ok([Event::Request(ticket, request)]) => (ticket, request),
        other => panic!("expected one request, got {other:?}"),
    }
}
