use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui_core::layout::Size;
use ratatui_core::style::Stylize;
use ratatui_core::text::{Line, Text};
use ratatui_widgets::paragraph::{Paragraph, Wrap};
use tokio::sync::oneshot;

use super::Input;
use super::answer::Answer;
use super::footer::Footer;
use super::markdown;
use super::open_menu::OpenMenu;
use super::prompt::Prompt;
use super::running_tools::{Outcome, RunningTools};

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// Everything that is on the screen, or will be in the next frame.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) size: Size,
    /// Blocks of the conversation that are not printed yet.
    pub(crate) blocks: Vec<Block>,
    answer: Answer,
    pub(crate) tools: RunningTools,
    /// Results of tools with all of their lines.
    results: Vec<Text<'static>>,
    /// The current activity, which can be interrupted.
    pub(crate) working: Option<&'static str>,
    pub(crate) queued: Vec<String>,
    /// The first menu has the keyboard; the prompt gets it back when all are closed.
    pub(crate) menus: VecDeque<OpenMenu>,
    pub(crate) prompt: Prompt,
    pub(crate) status: Line<'static>,
    /// Ctrl-C was pressed once at the prompt.
    confirm_quit: bool,
    /// Notified when the terminal is restored.
    pub(crate) closing: Option<oneshot::Sender<()>>,
}

/// A part of the conversation, which stays on the screen.
pub(crate) struct Block {
    text: Text<'static>,
    /// Whether long lines are wrapped; they are cut off otherwise.
    wrap: bool,
}

/// The effect of a key on the event loop.
pub(crate) enum Action {
    Send(Input),
    OpenPager,
}

impl Block {
    pub(crate) fn wrapped(text: Text<'static>) -> Self {
        Self { text, wrap: true }
    }

    pub(crate) fn paragraph(self) -> Paragraph<'static> {
        let paragraph = Paragraph::new(self.text);
        match self.wrap {
            true => paragraph.wrap(Wrap { trim: false }),
            false => paragraph,
        }
    }
}

impl View {
    pub(crate) fn stream(&mut self, piece: &str) {
        if let Some(finished) = self.answer.push(piece) {
            self.print_markdown(&finished);
        }
    }

    pub(crate) fn end_stream(&mut self) {
        if let Some(rest) = self.answer.end() {
            self.print_markdown(&rest);
        }
    }

    pub(crate) fn end_tool(&mut self, id: &str, outcome: Outcome) {
        if let Some(ended) = self.tools.end(id, outcome, self.size.width) {
            self.blocks.push(Block {
                text: ended.brief,
                wrap: false,
            });
            self.results.push(ended.whole);
        }
    }

    pub(crate) fn idle(&mut self) {
        self.working = None;
        let abandoned = self.tools.abandon();
        if !abandoned.is_empty() {
            self.blocks.push(Block::wrapped(abandoned.into()));
        }
    }

    pub(crate) fn is_moving(&self) -> bool {
        self.working.is_some()
    }

    pub(crate) fn remove_cancelled_menus(&mut self) {
        self.menus.retain(|menu| !menu.is_cancelled());
    }

    /// Returns the results of all tools, and the open question.
    pub(crate) fn whole_results(&self) -> Text<'static> {
        let question = self.menus.front().map(OpenMenu::question);
        let texts = self.results.iter().cloned().chain(question);
        let mut whole = Text::default();
        for text in texts {
            whole.extend(text);
            whole.push_line(Line::default());
        }
        whole
    }

    pub(crate) fn handle_event(&mut self, event: Event) -> Option<Action> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(key),
            Event::Paste(text) => {
                // Terminals paste a line break as the Enter key, `\r`.
                let text = text.replace("\r\n", "\n").replace('\r', "\n");
                match self.menus.front_mut() {
                    Some(menu) => menu.paste(&text),
                    None => self.prompt.editor.insert(&text),
                }
                None
            }
            _ => None,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<Action> {
        let confirm_quit = std::mem::take(&mut self.confirm_quit);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let input = match key.code {
            KeyCode::Char('c') if control && self.working.is_some() => Input::Interrupt,
            KeyCode::Char('c') if control && confirm_quit => Input::Quit,
            KeyCode::Char('c') if control => {
                self.prompt.clear();
                self.confirm_quit = true;
                return None;
            }
            KeyCode::Char('o') if control => return Some(Action::OpenPager),
            KeyCode::BackTab => Input::NextMode,
            KeyCode::Esc if self.menus.is_empty() && self.prompt.dismiss() => return None,
            KeyCode::Esc if self.working.is_some() => Input::Interrupt,
            KeyCode::Esc => return None,
            _ if !self.menus.is_empty() => {
                self.answer_menu(key);
                return None;
            }
            KeyCode::Char('d') if control && self.prompt.editor.is_empty() => Input::Quit,
            _ => Input::Prompt(self.prompt.press(key)?),
        };
        Some(Action::Send(input))
    }

    fn answer_menu(&mut self, key: KeyEvent) {
        let picked = self.menus.front_mut().and_then(|menu| menu.press(key));
        if let Some(picked) = picked
            && let Some(menu) = self.menus.pop_front()
        {
            let answer = Line::raw(menu.answer(picked)).dim();
            self.blocks.push(Block::wrapped(answer.into()));
        }
    }

    pub(crate) fn footer(&self) -> Footer<'_> {
        let mut above = Text::default();
        if !self.answer.unfinished.trim().is_empty() {
            above.push_line(Line::default());
            let answer = markdown::render(&self.answer.unfinished, self.size.width);
            above.extend(answer);
        }
        let tools = self.tools.lines();
        if !tools.is_empty() {
            above.push_line(Line::default());
            above.extend(tools);
        }
        above.push_line(Line::default());
        if let Some(menu) = self.menus.front() {
            return menu.footer(above, self.size);
        }
        if let Some(working) = self.working {
            above.push_line(Line::raw(format!("{} {working} (Esc interrupts)", spinner())).dim());
        }
        let queued = self.queued.iter();
        above.extend(queued.map(|prompt| Line::raw(format!("  next: {prompt}")).dim()));
        Footer {
            size: self.size,
            above,
            label: Line::raw("> "),
            editor: &self.prompt.editor,
            ruled: true,
            below: self.below(),
        }
    }

    fn below(&self) -> Text<'_> {
        let suggestions = self.prompt.suggestion_lines();
        if self.confirm_quit {
            return Line::raw("  Ctrl-C once more leaves").dim().into();
        }
        match suggestions.lines.is_empty() {
            true => self.status.clone().dim().into(),
            false => suggestions,
        }
    }

    fn print_markdown(&mut self, markdown: &str) {
        let text = markdown::render(markdown, self.size.width);
        self.blocks.push(Block::wrapped(text));
    }
}

/// Returns the current frame of the animation.
pub(crate) fn spinner() -> char {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let tick = now.map_or(0, |time| time.as_millis() / 100);
    SPINNER[tick as usize % SPINNER.len()]
}
