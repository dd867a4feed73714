use std::time::Duration;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::Interrupt;

use super::ending::{Step, unsendable};
use super::{Close, Command, Driver, now};

/// How long each step may take that ends a CLI which did not accept the session.
const SOON: Duration = Duration::from_secs(1);

/// What is asked of a driver, and what it does to end the session.
impl Driver {
    pub(super) fn on_command(&mut self, command: Option<Command>) {
        let Some(command) = command else {
            tracing::debug!("the session was dropped");
            let is_closing = self.ending.close_requested();
            self.ending.abandon();
            if is_closing {
                // Only the future of `close` was dropped, and the steps of that close go on.
                return;
            }
            if self.is_at_work() {
                return self.kill();
            }
            self.dispatch.cancel_all();
            return self.begin_ending(self.settings.shutdown.grace);
        };
        self.obey(command);
    }

    /// Obeys what has been asked so far.
    pub(super) fn obey_all(&mut self) {
        for _ in 0..self.commands.len() {
            let Ok(command) = self.commands.try_recv() else {
                return;
            };
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Send { prompt, done } => {
                if !self.input.takes_more() {
                    return drop(done.send(Err(self.waiters.input_closed())));
                }
                match self.engine.send(&prompt) {
                    Ok(()) => {
                        self.messages.prompted();
                        self.waiters.await_written(done);
                    }
                    Err(error) => drop(done.send(Err(unsendable(error)))),
                }
            }
            Command::Request(request) => {
                if !self.input.takes_more() {
                    let error = self.waiters.input_closed();
                    return drop(request.reply.send(Err(error)));
                }
                let id = self.engine.request(&request.body, request.deadline);
                self.waiters.await_reply(id, request);
            }
            Command::Post { body, timeout } => {
                if self.input.is_open() {
                    self.engine.request(&body, now().checked_add(timeout));
                }
            }
            Command::Abandon { key } => {
                if let Some(id) = self.waiters.abandon(key) {
                    self.engine.withdraw(id);
                }
            }
            Command::Close { how, done } => {
                self.closers.extend(done);
                self.close(how);
            }
        }
    }

    fn close(&mut self, how: Close) {
        self.ending.request_close();
        match how {
            Close::Gently => {}
            Close::Soon => self.settings.shutdown = self.settings.shutdown.at_most(SOON),
            Close::Now => return self.kill(),
        }
        // No interrupt reaches a background task. One with an open request would take the end of its
        // handler for an answer.
        if self.dispatch.is_busy() && self.engine.has_tasks() {
            return self.kill();
        }
        // A CLI whose input ends in the middle of a turn fails the open tool calls and goes on with the
        // turn (2.1.325). An interrupt in front of that end stops the turn first.
        if self.engine.turn_is_running() && self.input.is_open() {
            match encode(&Interrupt::new()) {
                Ok(interrupt) => drop(self.engine.request(&interrupt, None)),
                Err(error) => tracing::warn!(%error, "`interrupt` has no JSON form"),
            }
        }
        // Nothing is written for a handler that is dropped: the CLI must not take it for an answer.
        self.dispatch.cancel_all();
        self.begin_ending(self.settings.shutdown.grace);
    }

    /// Returns whether the CLI is doing something that its end would cut off: a turn, a request to the
    /// host, or a task in the background.
    fn is_at_work(&self) -> bool {
        self.engine.turn_is_running() || self.dispatch.is_busy() || self.engine.has_tasks()
    }

    /// Kills the CLI, and only then drops the handlers and closes its input.
    ///
    /// In the other order the CLI would see its tool calls fail, and ask the model again.
    fn kill(&mut self) {
        self.ending.hurry(now());
        self.on_step();
        self.dispatch.cancel_all();
        self.close_input();
    }

    /// Closes stdin once everything is written, and gives the CLI some time to end.
    pub(super) fn begin_ending(&mut self, grace: Duration) {
        self.input.end();
        self.ending.begin(now(), grace);
    }

    pub(super) fn close_input(&mut self) {
        if self.input.close() {
            self.waiters.input_ended();
        }
    }

    pub(super) fn on_deadline(&mut self) {
        let now = now();
        self.engine.handle_timeout(now);
        if self
            .ending
            .deadline()
            .is_some_and(|deadline| deadline <= now)
        {
            self.ending.advance(now, self.settings.shutdown.term);
            self.on_step();
        }
    }

    fn on_step(&mut self) {
        match self.ending.step() {
            Some(Step::Terminated) => {
                tracing::debug!("the CLI did not end by itself, asking it to");
                // Whatever it has not read by now it will not read.
                self.close_input();
                self.peer.terminate();
            }
            Some(Step::Killed) => {
                tracing::debug!("killing the CLI");
                self.peer.kill();
            }
            Some(Step::Grace | Step::GivenUp) | None => {}
        }
    }
}
