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
use super::choosing::Choosing;
use super::keyboard::{self, RawMode};
use super::menu::{Menu, Picked};
use super::prompt::Prompt;
use super::running_tools::{RunningTools, spinner};
use super::screen::{Footer, Screen, Styled};
use super::text::printable;

const TICK: Duration = Duration::from_millis(100);

/// What the owner of the terminal can be told to do.
pub(crate) enum Order {
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

/// The one who draws and listens.
pub(crate) struct Desk {
    orders: mpsc::UnboundedReceiver<Order>,
    events: mpsc::UnboundedReceiver<Event>,
    inputs: mpsc::UnboundedSender<Input>,
    screen: Screen<Stdout>,
    prompt: Prompt,
    /// The first question has the keyboard; what was typed before comes back when all are gone.
    questions: VecDeque<(Choosing, oneshot::Sender<Picked>)>,
    tools: RunningTools,
    /// What is going on.
    working: Option<&'static str>,
    tick: usize,
    /// Ctrl-C was pressed once at the prompt.
    about_to_leave: bool,
    raw: RawMode,
}

impl Desk {
    pub(crate) fn open(
        orders: mpsc::UnboundedReceiver<Order>,
        inputs: mpsc::UnboundedSender<Input>,
    ) -> io::Result<Self> {
        let raw = RawMode::enter()?;
        Ok(Self {
            orders,
            events: keyboard::listen(),
            inputs,
            screen: Screen::new(stdout(), terminal::size()?),
            prompt: Prompt::default(),
            questions: VecDeque::new(),
            tools: RunningTools::default(),
            working: None,
            tick: 0,
            about_to_leave: false,
            raw,
        })
    }

    /// Works until told to close, or until the terminal is gone.
    pub(crate) async fn run(mut self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let footer = self.footer();
            if self.screen.draw(footer).is_err() {
                return;
            }
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => if let Some(done) = self.follow(order) {
                        return self.close(done);
                    },
                    None => return,
                },
                event = self.events.recv() => match event {
                    Some(event) => self.notice(event),
                    None => return,
                },
                () = withdrawn(&mut self.questions) => {}
                _ = ticks.tick(), if self.working.is_some() => self.tick += 1,
            }
            self.questions.retain(|(_, answer)| !answer.is_closed());
        }
    }

    /// Does as told; gives whoever waits for the close, when it is that.
    fn follow(&mut self, order: Order) -> Option<oneshot::Sender<()>> {
        match order {
            Order::Text(piece) => self.screen.text(&piece),
            Order::EndText => self.screen.end_text(),
            Order::Lines(lines) => self.screen.lines(&lines),
            Order::Working(working) => {
                self.working = working;
                let abandoned = self.tools.abandon();
                abandoned.iter().for_each(|line| self.screen.lines(line));
            }
            Order::ToolBegins { id, label } => self.tools.begin(id, &label),
            Order::ToolEnds {
                id,
                failed,
                outcome,
            } => {
                let ended = self.tools.end(&id, failed, &outcome, self.screen.columns);
                ended.iter().for_each(|line| self.screen.lines(line));
            }
            Order::Ask(menu, answer) => self.questions.push_back((Choosing::new(menu), answer)),
            Order::Close(done) => return Some(done),
        }
        None
    }

    fn notice(&mut self, event: Event) {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(key),
            Event::Paste(text) => {
                // Terminals paste the key, not the character.
                let text = printable(&text.replace("\r\n", "\n").replace('\r', "\n"));
                match self.questions.front_mut() {
                    Some((choosing, _)) => choosing.paste(&text),
                    None => self.prompt.line.insert(&text),
                }
            }
            Event::Resize(columns, rows) => self.screen.resize(columns, rows),
            _ => {}
        }
    }

    fn press(&mut self, key: KeyEvent) {
        let about_to_leave = std::mem::take(&mut self.about_to_leave);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control && self.working.is_some() => self.tell(Input::Interrupt),
            KeyCode::Char('c') if control && about_to_leave => self.tell(Input::Quit),
            KeyCode::Char('c') if control => {
                self.prompt.line.take();
                self.about_to_leave = true;
            }
            _ if !self.questions.is_empty() => self.answer(key),
            KeyCode::Char('d') if control && self.prompt.line.text().is_empty() => {
                self.tell(Input::Quit);
            }
            _ => {
                if let Some(line) = self.prompt.press(key) {
                    self.tell(Input::Line(line));
                }
            }
        }
    }

    fn answer(&mut self, key: KeyEvent) {
        let Some((choosing, _)) = self.questions.front_mut() else {
            return;
        };
        let Some(picked) = choosing.press(key) else {
            return;
        };
        let record = choosing.record(&picked).dim();
        self.screen.lines(&record);
        if let Some((_, answer)) = self.questions.pop_front() {
            // Nobody waits any more if it was withdrawn just now.
            let _ = answer.send(picked);
        }
    }

    fn footer(&self) -> Footer {
        let mut footer = Footer::default();
        footer.lines.extend(self.tools.lines(self.tick));
        if let Some((choosing, _)) = self.questions.front() {
            footer.append(choosing.footer(self.screen.columns));
            return footer;
        }
        if let Some(working) = self.working {
            let status = format!("{} {working} (Ctrl-C stops)", spinner(self.tick));
            footer.lines.push(status.dim());
        }
        if self.about_to_leave {
            footer
                .lines
                .push("Ctrl-C once more leaves".to_owned().dim());
        }
        footer.typing("> ", &self.prompt.line, self.screen.columns);
        footer
    }

    fn close(mut self, done: oneshot::Sender<()>) {
        self.screen.end_text();
        // Of a terminal that is gone nothing is to be cleaned up.
        let _ = self.screen.draw(Footer::default());
        drop(self.raw);
        let _ = done.send(());
    }

    /// Whoever does not listen any more has left already.
    fn tell(&self, input: Input) {
        let _ = self.inputs.send(input);
    }
}

/// Waits until the open question is taken back.
async fn withdrawn(questions: &mut VecDeque<(Choosing, oneshot::Sender<Picked>)>) {
    match questions.front_mut() {
        Some((_, answer)) => answer.closed().await,
        None => pending().await,
    }
}
