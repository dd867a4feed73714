//! Screen and keyboard, drawn with ratatui. A thread owns both; tasks use them through a [`Terminal`].

mod answer;
mod editor;
mod event_loop;
mod footer;
mod markdown;
mod menu;
mod open_menu;
mod pager;
mod prompt;
mod raw_mode;
mod running_tools;
mod view;
mod viewport;

use std::io::{self, IsTerminal, stdin, stdout};
use std::sync::mpsc::Sender;
use std::thread;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Text};
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{mpsc, oneshot};

pub(crate) use self::menu::{Menu, Picked};
pub(crate) use self::prompt::Completion;
pub(crate) use self::running_tools::Outcome;

use self::event_loop::{Change, EventLoop};
use self::open_menu::OpenMenu;
use self::view::{Block, View};

/// An input of the user.
pub(crate) enum Input {
    /// A prompt was entered.
    Prompt(String),
    /// The running turn shall stop.
    Interrupt,
    /// The session shall change to the next permission mode.
    NextMode,
    /// The user wants to quit.
    Quit,
}

pub(crate) type Inputs = mpsc::UnboundedReceiver<Input>;

/// A handle to the terminal, for any task.
#[derive(Clone)]
pub(crate) struct Terminal {
    changes: Sender<Change>,
}

impl Terminal {
    /// Enters raw mode and starts the event loop.
    ///
    /// # Errors
    /// Fails if the program does not run in a terminal.
    pub(crate) fn open() -> io::Result<(Self, Inputs)> {
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Err(io::Error::other(
                "chat needs a terminal: run it without pipes and redirections. A program without a \
                 terminal sends its prompts with `inhouse::query`, as the example `calculator` does.",
            ));
        }
        let (changes, received) = std::sync::mpsc::channel();
        let (inputs, typed) = mpsc::unbounded_channel();
        let event_loop = EventLoop::open(received, inputs)?;
        thread::spawn(|| event_loop.run());
        Ok((Self { changes }, typed))
    }

    /// Asks the user.
    ///
    /// Concurrent questions are asked one after another. Dropping the future removes the question.
    ///
    /// # Errors
    /// Fails if the terminal is gone.
    pub(crate) async fn ask(&self, menu: Menu) -> Result<Picked, RecvError> {
        let (answer, answered) = oneshot::channel();
        self.change(|view| view.menus.push_back(OpenMenu::new(menu, answer)));
        answered.await
    }

    /// Appends a piece of a streamed answer in Markdown.
    pub(crate) fn stream(&self, piece: &str) {
        let piece = piece.to_owned();
        self.change(move |view| view.stream(&piece));
    }

    /// Ends the streamed answer.
    pub(crate) fn end_stream(&self) {
        self.change(View::end_stream);
    }

    /// Shows a text in Markdown.
    pub(crate) fn markdown(&self, text: &str) {
        self.stream(text);
        self.end_stream();
    }

    /// Shows a note of the program.
    pub(crate) fn note(&self, text: &str) {
        self.print(text, Style::new().dim());
    }

    /// Shows an error.
    pub(crate) fn problem(&self, text: &str) {
        self.print(text, Style::new().red());
    }

    /// Shows the prompt of the user.
    pub(crate) fn prompted(&self, prompt: &str) {
        let prompt = prompt.replace('\n', "\n  ");
        self.print(&format!("> {prompt}"), Style::new().bold());
    }

    /// Shows the prompts that wait for the running turn, below the answer.
    pub(crate) fn queued<'a>(&self, prompts: impl IntoIterator<Item = &'a String>) {
        let prompts: Vec<String> = prompts.into_iter().cloned().collect();
        self.change(|view| view.queued = prompts);
    }

    /// Shows an activity that can be interrupted.
    pub(crate) fn working(&self, activity: &'static str) {
        self.change(move |view| view.working = Some(activity));
    }

    /// Shows that no activity is running.
    pub(crate) fn idle(&self) {
        self.change(View::idle);
    }

    /// Shows a running tool, until [`tool_ends`](Self::tool_ends).
    pub(crate) fn tool_begins(&self, id: &str, label: &str) {
        let (id, label) = (id.to_owned(), label.to_owned());
        self.change(|view| view.tools.begin(id, label));
    }

    /// Shows the start of a tool's result; the user can open all of it.
    pub(crate) fn tool_ends(&self, id: &str, outcome: Outcome) {
        let id = id.to_owned();
        self.change(move |view| view.end_tool(&id, outcome));
    }

    /// Sets the line below the prompt.
    pub(crate) fn status(&self, line: Line<'static>) {
        self.change(|view| view.status = line);
    }

    /// Sets the slash commands that the prompt completes.
    pub(crate) fn completions(&self, completions: Vec<Completion>) {
        self.change(|view| view.prompt.completions = completions);
    }

    /// Restores the terminal.
    pub(crate) async fn close(self) {
        let (done, closed) = oneshot::channel();
        self.change(|view| view.closing = Some(done));
        // Fails if the event loop has ended, which restores the terminal, too.
        let _ = closed.await;
    }

    fn print(&self, text: &str, style: Style) {
        let block = Block::wrapped(Text::styled(text.to_owned(), style));
        self.change(|view| view.blocks.push(block));
    }

    /// Changes the view. Fails only if the terminal is gone.
    fn change(&self, change: impl FnOnce(&mut View) + Send + 'static) {
        let _ = self.changes.send(Box::new(change));
    }
}
