//! The screen and the keyboard: one task owns both, everybody else has a [`Terminal`].

mod choosing;
mod desk;
mod keyboard;
mod line;
mod menu;
mod prompt;
mod running_tools;
mod screen;
mod text;

use std::io;

use crossterm::style::Stylize;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{mpsc, oneshot};

pub(crate) use self::menu::{Menu, Picked};

use self::desk::{Desk, Order};
use self::screen::Styled;

/// What a person wants.
pub(crate) enum Input {
    /// A line was entered.
    Line(String),
    /// Stop what is going on.
    Interrupt,
    /// Leave.
    Quit,
}

pub(crate) type Inputs = mpsc::UnboundedReceiver<Input>;

/// What can be done with a terminal, from any task.
#[derive(Clone)]
pub(crate) struct Terminal {
    orders: mpsc::UnboundedSender<Order>,
}

impl Terminal {
    /// Takes the terminal over.
    pub(crate) fn open() -> io::Result<(Self, Inputs)> {
        let (orders, received) = mpsc::unbounded_channel();
        let (inputs, typed) = mpsc::unbounded_channel();
        let desk = Desk::open(received, inputs)?;
        tokio::spawn(desk.run());
        Ok((Self { orders }, typed))
    }

    /// Asks a person.
    ///
    /// Several questions are asked in their order. Dropping the future takes the question back.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) async fn ask(&self, menu: Menu) -> Result<Picked, RecvError> {
        let (answer, answered) = oneshot::channel();
        self.order(Order::Ask(menu, answer));
        answered.await
    }

    /// Shows a piece of text that goes on.
    pub(crate) fn text(&self, piece: &str) {
        self.order(Order::Text(piece.to_owned()));
    }

    /// Ends the text.
    pub(crate) fn end_text(&self) {
        self.order(Order::EndText);
    }

    /// Shows whole lines.
    pub(crate) fn line(&self, text: &str) {
        self.show(text.to_owned().stylize());
    }

    /// Shows a remark of the program itself.
    pub(crate) fn note(&self, text: &str) {
        self.show(text.to_owned().dim());
    }

    /// Shows what went wrong.
    pub(crate) fn problem(&self, text: &str) {
        self.show(text.to_owned().red());
    }

    /// Shows what was asked.
    pub(crate) fn prompted(&self, prompt: &str) {
        self.show(format!("\n> {prompt}").bold());
    }

    /// Shows that something is going on, which can be interrupted.
    pub(crate) fn working(&self, at: &'static str) {
        self.order(Order::Working(Some(at)));
    }

    /// Shows that nothing goes on any more.
    pub(crate) fn idle(&self) {
        self.order(Order::Working(None));
    }

    /// Shows a tool at work, until [`tool_ends`](Self::tool_ends).
    pub(crate) fn tool_begins(&self, id: &str, label: &str) {
        self.order(Order::ToolBegins {
            id: id.to_owned(),
            label: label.to_owned(),
        });
    }

    /// Shows how a tool ended.
    pub(crate) fn tool_ends(&self, id: &str, failed: bool, outcome: &str) {
        self.order(Order::ToolEnds {
            id: id.to_owned(),
            failed,
            outcome: outcome.to_owned(),
        });
    }

    /// Gives the terminal back as it was.
    pub(crate) async fn close(self) {
        let (done, closed) = oneshot::channel();
        self.order(Order::Close(done));
        // An error says that it was given back before.
        let _ = closed.await;
    }

    fn show(&self, lines: Styled) {
        self.order(Order::Lines(lines));
    }

    /// Nobody minds that a terminal which is gone shows nothing.
    fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }
}
