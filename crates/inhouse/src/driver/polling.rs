use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll};

use tokio::io::AsyncReadExt as _;

use super::input::HungUp;
use super::{Driver, now};

/// How often a driver reads before everyone else has a turn.
const ROUNDS: usize = 8;

/// Whether the answers that are ready go to the CLI now.
#[derive(PartialEq, Eq)]
enum Answers {
    All,
    /// Others are about to be ready, and go into the same write.
    MoreAtOnce,
}

/// What a driver waits for.
impl Driver {
    /// Does whatever can be done now; ready when the session is over.
    ///
    /// By hand and not with `select!`, which would ask everyone again after each thing that happens:
    /// most of what a small call costs.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_commands(cx);
        if self.poll_answers(cx) == Answers::MoreAtOnce {
            return Poll::Pending;
        }
        self.poll_exit(cx);
        for _ in 0..ROUNDS {
            let has_read = self.poll_output(cx);
            self.take_events();
            self.poll_input(cx);
            let is_late = self.poll_deadline(cx);
            if self.ending.is_complete() {
                // What a deadline has brought about.
                self.take_events();
                return Poll::Ready(());
            }
            if !(has_read || is_late) {
                return Poll::Pending;
            }
        }
        // Others want their turn, too.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_commands(&mut self, cx: &mut Context<'_>) {
        // What is asked meanwhile waits, so that nobody who asks without end keeps the driver from
        // reading and writing.
        for _ in 0..=self.commands.len() {
            if self.ending.abandoned() {
                return;
            }
            match self.commands.poll_recv(cx) {
                Poll::Ready(command) => self.on_command(command),
                Poll::Pending => return,
            }
        }
        cx.waker().wake_by_ref();
    }

    /// Takes the answers of handlers: as many as there are go into one write.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Answers {
        let mut is_any = false;
        while self.dispatch.poll_answers(cx).is_ready() {
            // What the handlers have said on their way comes before their answers.
            self.obey_all();
            while let Some((ticket, answer)) = self.dispatch.next_answer() {
                self.engine.respond(ticket, answer);
            }
            is_any = true;
        }
        if is_any && self.dispatch.expects_more_at_once() {
            // Behind the tasks that wait for their first turn.
            cx.waker().wake_by_ref();
            return Answers::MoreAtOnce;
        }
        Answers::All
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) {
        if self.ending.has_exited() {
            return;
        }
        if let Poll::Ready(exit) = self.exit.poll(cx) {
            tracing::debug!(?exit, "the CLI has ended");
            self.ending.exited(exit, now());
            // A child has taken its group along; behind another transport something may be left
            // that holds stdout open.
            self.peer.kill();
        }
    }

    /// Reads what is there; false when that is nothing.
    fn poll_output(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ending.output_ended() {
            return false;
        }
        let read = pin!(self.output.read_buf(self.engine.space())).poll(cx);
        match read {
            Poll::Ready(read) => self.on_read(read),
            Poll::Pending => return false,
        }
        true
    }

    /// Writes what waits, as far as there is room for it.
    fn poll_input(&mut self, cx: &mut Context<'_>) {
        while !self.input.is_idle() || self.next_write() {
            match self.input.poll_work(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(HungUp)) => return self.on_hang_up(),
                Poll::Pending => return,
            }
        }
    }

    /// Acts on a deadline; false when none has come.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> bool {
        let deadline = [self.engine.poll_timeout(), self.ending.deadline()];
        let deadline = deadline.into_iter().flatten().min();
        let is_late = self.alarm.poll_at(deadline, cx).is_ready();
        if is_late {
            self.on_deadline();
        }
        is_late
    }

    fn on_read(&mut self, read: std::io::Result<usize>) {
        match read {
            Ok(0) => self.on_output_end(),
            Ok(_) => self.engine.receive(now()),
            Err(error) => {
                tracing::warn!(%error, "reading from the CLI failed");
                self.on_output_end();
            }
        }
    }

    /// What was to be written is written, and flushed: on to the next, or to the end. False when
    /// there is no next.
    fn next_write(&mut self) -> bool {
        let next = self.engine.poll_transmit();
        if self.input.is_refused() {
            return false;
        }
        self.waiters.written();
        match next {
            Some(bytes) if self.input.is_connected() => {
                self.input.load(bytes);
                self.waiters.writing(self.engine.prompts_transmitted());
                return true;
            }
            _ if self.input.is_ending() => self.close_input(),
            _ => {}
        }
        false
    }

    fn on_output_end(&mut self) {
        self.engine.receive_end(now());
        self.ending.output_end();
        // Without its stdout a CLI is of no use: it is given the time of a close to end.
        self.on_hang_up();
    }

    /// The CLI has closed one of its streams: it is about to end, and its end tells more than a broken
    /// pipe, so that everyone who wants something of it waits for that.
    fn on_hang_up(&mut self) {
        self.input.refuse();
        self.begin_ending(self.settings.shutdown.grace);
    }
}
