use std::collections::VecDeque;
use std::future::pending;
use std::io::{self, Stdout, stdout};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::Stylize;
use crossterm::terminal;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use super::Input;
use super::keyboard::{self, RawMode};
use super::menu::{Menu, Picked};
use super::open_menu::OpenMenu;
use super::prompt::Prompt;
use super::running_tools::{RunningTools, spinner};
use super::screen::{Footer, Screen, Styled};
use super::text::printable;

const TICK: Duration = Duration::from_millis(100);

/// A command to the event loop.
pub(crate) enum Command {
    Text(String),
    EndText,
    Lines(Styled),
    Working(Option<&'static str>),
    ToolBegins {
        id: String,
        label: String,
    },
    ToolEnds {
        id: String,
        failed: bool,
        outcome: String,
    },
    Ask(Menu, oneshot::Sender<Picked>),
    Close(oneshot::Sender<()>),
}

/// The task that owns the terminal: draws the screen and reads the keyboard.
pub(crate) struct EventLoop {
    commands: mpsc::UnboundedReceiver<Command>,
    events: mpsc::UnboundedReceiver<Event>,
    inputs: mpsc::UnboundedSender<Input>,
    screen: Screen<Stdout>,
    prompt: Prompt,
    /// The first menu has the keyboard; the prompt gets it back when all are closed.
    questions: VecDeque<(OpenMenu, oneshot::Sender<Picked>)>,
    tools: RunningTools,
    /// The current activity, which can be interrupted.
    working: Option<&'static str>,
    tick: usize,
    /// Ctrl-C was pressed once at the prompt.
    confirm_quit: bool,
    raw: RawMode,
}

impl EventLoop {
    pub(crate) fn open(
        commands: mpsc::UnboundedReceiver<Command>,
        inputs: mpsc::UnboundedSender<Input>,
    ) -> io::Result<Self> {
        let raw = RawMode::enter()?;
        Ok(Self {
            commands,
            events: keyboard::listen(),
            inputs,
            screen: Screen::new(stdout(), terminal::size()?),
            prompt: Prompt::default(),
            questions: VecDeque::new(),
            tools: RunningTools::default(),
            working: None,
            tick: 0,
            confirm_quit: false,
            raw,
        })
    }

    /// Runs until `Close`, or until the terminal is gone.
    pub(crate) async fn run(mut self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let footer = self.footer();
            if self.screen.draw(footer).is_err() {
                return;
            }
            tokio::select! {
                command = self.commands.recv() => match command {
                    Some(command) => if let Some(done) = self.handle_command(command) {
                        return self.close(done);
                    },
                    None => return,
                },
                event = self.events.recv() => match event {
                    Some(event) => self.handle_event(event),
                    None => return,
                },
                () = cancelled(&mut self.questions) => {}
                _ = ticks.tick(), if self.working.is_some() => self.tick += 1,
            }
            self.questions.retain(|(_, answer)| !answer.is_closed());
        }
    }

    /// Handles a command; returns the sender to notify if it is `Close`.
    fn handle_command(&mut self, command: Command) -> Option<oneshot::Sender<()>> {
        match command {
            Command::Text(piece) => self.screen.text(&piece),
            Command::EndText => self.screen.end_text(),
            Command::Lines(lines) => self.screen.lines(&lines),
            Command::Working(working) => {
                self.working = working;
                let abandoned = self.tools.abandon();
                abandoned.iter().for_each(|line| self.screen.lines(line));
            }
            Command::ToolBegins { id, label } => self.tools.begin(id, &label),
            Command::ToolEnds {
                id,
                failed,
                outcome,
            } => {
                let ended = self.tools.end(&id, failed, &outcome, self.screen.columns);
                ended.iter().for_each(|line| self.screen.lines(line));
            }
            Command::Ask(menu, answer) => self.questions.push_back((OpenMenu::new(menu), answer)),
            Command::Close(done) => return Some(done),
        }
        None
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(key),
            Event::Paste(text) => {
                // Terminals paste a line break as the Enter key, `\r`.
                let text = printable(&text.replace("\r\n", "\n").replace('\r', "\n"));
                match self.questions.front_mut() {
                    Some((menu, _)) => menu.paste(&text),
                    None => self.prompt.line.insert(&text),
                }
            }
            Event::Resize(columns, rows) => self.screen.resize(columns, rows),
            _ => {}
        }
    }

    fn press(&mut self, key: KeyEvent) {
        let confirm_quit = std::mem::take(&mut self.confirm_quit);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control && self.working.is_some() => self.send(Input::Interrupt),
            KeyCode::Char('c') if control && confirm_quit => self.send(Input::Quit),
            KeyCode::Char('c') if control => {
                self.prompt.line.take();
                self.confirm_quit = true;
            }
            _ if !self.questions.is_empty() => self.answer(key),
            KeyCode::Char('d') if control && self.prompt.line.text().is_empty() => {
                self.send(Input::Quit);
            }
            _ => {
                if let Some(line) = self.prompt.press(key) {
                    self.send(Input::Line(line));
                }
            }
        }
    }

    fn answer(&mut self, key: KeyEvent) {
        let Some((menu, _)) = self.questions.front_mut() else {
            return;
        };
        let Some(picked) = menu.press(key) else {
            return;
        };
        let record = menu.summary(&picked).dim();
        self.screen.lines(&record);
        if let Some((_, answer)) = self.questions.pop_front() {
            // Fails if the question was just cancelled.
            let _ = answer.send(picked);
        }
    }

    fn footer(&self) -> Footer {
        let mut footer = Footer::default();
        footer.lines.extend(self.tools.lines(self.tick));
        if let Some((menu, _)) = self.questions.front() {
            footer.append(menu.footer(self.screen.columns));
            return footer;
        }
        if let Some(working) = self.working {
            let status = format!("{} {working} (Ctrl-C stops)", spinner(self.tick));
            footer.lines.push(status.dim());
        }
        if self.confirm_quit {
            footer
                .lines
                .push("Ctrl-C once more leaves".to_owned().dim());
        }
        footer.typing("> ", &self.prompt.line, self.screen.columns);
        footer
    }

    fn close(mut self, done: oneshot::Sender<()>) {
        self.screen.end_text();
        // Fails if the terminal is gone.
        let _ = self.screen.draw(Footer::default());
        drop(self.raw);
        let _ = done.send(());
    }

    /// Sends an input. Fails only if the conversation has ended.
    fn send(&self, input: Input) {
        let _ = self.inputs.send(input);
    }
}

/// Resolves when the open question is cancelled.
async fn cancelled(questions: &mut VecDeque<(OpenMenu, oneshot::Sender<Picked>)>) {
    match questions.front_mut() {
        Some((_, answer)) => answer.closed().await,
        None => pending().await,
    }
}
