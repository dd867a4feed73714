use inhouse_proto::engine::{Event, Notice};
use inhouse_proto::message::{Gap, GapReason};

use super::{Driver, now};
use crate::stream::Item;

/// What the engine tells a driver.
impl Driver {
    pub(super) fn take_events(&mut self) {
        while let Some(event) = self.engine.poll_event() {
            self.on_event(event);
        }
        self.messages.flush();
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Message(frame) => {
                self.ending.saw(&frame);
                self.messages.message(frame);
            }
            Event::Request(ticket, request) => {
                if self.ending.close_requested() {
                    return;
                }
                if let Some((ticket, answer)) = self.dispatch.request(ticket, request) {
                    self.engine.respond(ticket, answer);
                }
            }
            Event::Withdrawn(ticket) => self.dispatch.cancel(&ticket),
            Event::Reply { id, outcome } => self.waiters.reply(id, outcome),
            Event::Session(id) => self.shared.name(id),
            Event::State(state) => tracing::trace!(%state, "session state"),
            Event::RunEnded { answered } => {
                self.messages.push(Item::RunEnded { answered });
                if self.settings.one_shot {
                    self.end_run();
                }
            }
            Event::Notice(notice) => self.on_notice(notice),
            _ => {}
        }
    }

    /// The only run is over. A CLI with tasks in the background waits for them, as long as it may.
    fn end_run(&mut self) {
        self.ending.expect_end();
        self.input.end();
        let patience = match self.engine.has_tasks() {
            true => self.settings.ceiling,
            false => Some(self.settings.shutdown.grace),
        };
        if let Some(patience) = patience {
            self.ending.begin(now(), patience);
        }
    }

    fn on_notice(&mut self, notice: Notice) {
        let (reason, bytes, sample) = match notice {
            Notice::NotJson { bytes, sample } => (GapReason::NotJson, bytes, sample),
            Notice::TooLong { bytes, sample } => (GapReason::LineTooLong, bytes, sample),
            notice => return tracing::trace!(?notice, "passed over"),
        };
        tracing::warn!(%reason, bytes, "a line of the CLI was passed over");
        let gap = Gap::new(reason, 1, bytes).sample(sample);
        self.messages.push(Item::Gap(Box::new(gap)));
    }
}
