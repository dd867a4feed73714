//! Screen and keyboard. One task owns both; other tasks use them through a [`Terminal`].

mod event_loop;
mod keyboard;
mod line;
mod menu;
mod open_menu;
mod prompt;
mod running_tools;
mod screen;
mod text;

use std::io;

use crossterm::style::Stylize;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{mpsc, oneshot};

pub(crate) use self::menu::{Menu, Picked};

use self::event_loop::{Command, EventLoop};
use self::screen::Styled;

/// An input of the user.
pub(crate) enum Input {
    /// A line was entered.
    Line(String),
    /// Ctrl-C was pressed during a turn.
    Interrupt,
    /// The user wants to quit.
    Quit,
}

pub(crate) type Inputs = mpsc::UnboundedReceiver<Input>;

/// A handle to the terminal, for any task.
#[derive(Clone)]
pub(crate) struct Terminal {
    commands: mpsc::UnboundedSender<Command>,
}

impl Terminal {
    /// Enters raw mode and starts the event loop.
    pub(crate) fn open() -> io::Result<(Self, Inputs)> {
        let (commands, received) = mpsc::unbounded_channel();
        let (inputs, typed) = mpsc::unbounded_channel();
        let event_loop = EventLoop::open(received, inputs)?;
        tokio::spawn(event_loop.run());
        Ok((Self { commands }, typed))
    }

    /// Asks the user.
    ///
    /// Concurrent questions are asked one after another. Dropping the future removes the question.
    ///
    /// # Errors
    /// Fails if the terminal is gone.
    pub(crate) async fn ask(&self, menu: Menu) -> Result<Picked, RecvError> {
        let (answer, answered) = oneshot::channel();
        self.send(Command::Ask(menu, answer));
        answered.await
    }

    /// Appends streamed text.
    pub(crate) fn text(&self, piece: &str) {
        self.send(Command::Text(piece.to_owned()));
    }

    /// Ends the streamed text.
    pub(crate) fn end_text(&self) {
        self.send(Command::EndText);
    }

    /// Shows whole lines.
    pub(crate) fn line(&self, text: &str) {
        self.show(text.to_owned().stylize());
    }

    /// Shows a note of the program.
    pub(crate) fn note(&self, text: &str) {
        self.show(text.to_owned().dim());
    }

    /// Shows an error.
    pub(crate) fn problem(&self, text: &str) {
        self.show(text.to_owned().red());
    }

    /// Shows the prompt of the user.
    pub(crate) fn prompted(&self, prompt: &str) {
        self.show(format!("\n> {prompt}").bold());
    }

    /// Shows an activity that can be interrupted.
    pub(crate) fn working(&self, at: &'static str) {
        self.send(Command::Working(Some(at)));
    }

    /// Shows that no activity is running.
    pub(crate) fn idle(&self) {
        self.send(Command::Working(None));
    }

    /// Shows a running tool, until [`tool_ends`](Self::tool_ends).
    pub(crate) fn tool_begins(&self, id: &str, label: &str) {
        self.send(Command::ToolBegins {
            id: id.to_owned(),
            label: label.to_owned(),
        });
    }

    /// Shows the result of a tool.
    pub(crate) fn tool_ends(&self, id: &str, failed: bool, outcome: &str) {
        self.send(Command::ToolEnds {
            id: id.to_owned(),
            failed,
            outcome: outcome.to_owned(),
        });
    }

    /// Restores the terminal.
    pub(crate) async fn close(self) {
        let (done, closed) = oneshot::channel();
        self.send(Command::Close(done));
        // Fails if the event loop has ended, which restores the terminal, too.
        let _ = closed.await;
    }

    fn show(&self, lines: Styled) {
        self.send(Command::Lines(lines));
    }

    /// Sends a command. Fails only if the terminal is gone.
    fn send(&self, command: Command) {
        let _ = self.commands.send(command);
    }
}
