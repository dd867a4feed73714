use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui_core::layout::Size;
use ratatui_core::style::Stylize;
use ratatui_core::text::{Line, Text};
use tokio::sync::oneshot;

use super::editor::Editor;
use super::footer::Footer;
use super::menu::{Menu, Picked};

/// The state of a menu that is on the screen.
pub(crate) struct OpenMenu {
    menu: Menu,
    answer: oneshot::Sender<Picked>,
    /// `None` at first, so that text being typed when the menu opens does not select anything.
    selected: Option<usize>,
    ticked: BTreeSet<usize>,
    words: Editor,
}

impl OpenMenu {
    pub(crate) fn new(menu: Menu, answer: oneshot::Sender<Picked>) -> Self {
        Self {
            menu,
            answer,
            selected: None,
            ticked: BTreeSet::new(),
            words: Editor::default(),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.answer.is_closed()
    }

    /// Handles a key; returns the choice when it is complete.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Option<Picked> {
        let last = self.menu.options.len();
        match key.code {
            KeyCode::Enter => return self.picked(),
            KeyCode::Up => self.selected = Some(self.selected.unwrap_or(last).saturating_sub(1)),
            KeyCode::Down => {
                let next = self.selected.map_or(0, |selected| selected + 1);
                self.selected = Some(next.min(last));
            }
            _ if self.in_words() => self.words.press(key),
            KeyCode::Char(' ') => self.tick(),
            KeyCode::Char(digit @ '1'..='9') => {
                let at = digit as usize - '1' as usize;
                if at <= last {
                    self.selected = Some(at);
                    self.tick();
                }
            }
            _ => {}
        }
        None
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if self.in_words() {
            self.words.insert(text);
        }
    }

    /// Sends the choice; returns the question and the answer as one line.
    pub(crate) fn answer(self, picked: Picked) -> String {
        let options = picked.options.iter();
        let labels = options.map(|&at| self.menu.options[at].0.as_str());
        let words = match picked.options.is_empty() {
            true => format!("{}: {}", self.menu.own_words, picked.words),
            false => picked.words.clone(),
        };
        let words = Some(words.as_str()).filter(|words| !words.is_empty());
        let answer: Vec<&str> = labels.chain(words).collect();
        let line = format!("? {} {}", self.menu.title, answer.join(", "));
        // Fails if the question was just cancelled.
        let _ = self.answer.send(picked);
        line
    }

    /// Returns the question with all of its details.
    pub(crate) fn question(&self) -> Text<'static> {
        let mut text = Text::from(self.title());
        text.extend(self.menu.details.clone());
        text
    }

    /// Returns the question and the options, with the given lines above.
    pub(crate) fn footer<'a>(&'a self, mut above: Text<'a>, size: Size) -> Footer<'a> {
        above.push_line(self.title());
        // The options must stay on the screen.
        let shown = usize::from(size.height / 2);
        above.extend(self.menu.details.iter().take(shown).cloned());
        if let hidden @ 1.. = self.menu.details.len().saturating_sub(shown) {
            let hint = format!("… {hidden} more lines (Ctrl-O shows all)");
            above.push_line(Line::raw(hint).dim());
        }
        for (at, (label, explanation)) in self.menu.options.iter().enumerate() {
            let gap = if explanation.is_empty() { "" } else { ": " };
            let text = format!("{}{label}{gap}{explanation}", self.bullet(at));
            above.push_line(self.highlighted(at, Line::raw(text)));
        }
        let last = self.menu.options.len();
        let label = format!("{}{}: ", self.bullet(last), self.menu.own_words);
        let hint = match self.menu.several {
            true => "a number ticks, Enter answers, Esc interrupts",
            false => "a number and Enter answer, Esc interrupts",
        };
        Footer {
            size,
            above,
            label: self.highlighted(last, Line::raw(label)),
            editor: &self.words,
            ruled: false,
            below: Text::from(Line::raw(hint).dim()),
        }
    }

    fn title(&self) -> Line<'static> {
        Line::raw(format!("? {}", self.menu.title)).bold()
    }

    fn bullet(&self, at: usize) -> String {
        let mark = match self.selected == Some(at) {
            true => '›',
            false => ' ',
        };
        let tick = match (self.menu.several, self.ticked.contains(&at)) {
            (true, _) if at == self.menu.options.len() => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, _) => "",
        };
        format!("{mark} {} {tick}", at + 1)
    }

    fn highlighted<'a>(&self, at: usize, line: Line<'a>) -> Line<'a> {
        match self.selected == Some(at) {
            true => line.cyan(),
            false => line,
        }
    }

    fn in_words(&self) -> bool {
        self.selected == Some(self.menu.options.len())
    }

    fn tick(&mut self) {
        if let Some(selected) = self
            .selected
            .filter(|_| self.menu.several && !self.in_words())
            && !self.ticked.remove(&selected)
        {
            self.ticked.insert(selected);
        }
    }

    /// Returns the ticked options and the text if several may be picked, or else the selected one.
    fn picked(&self) -> Option<Picked> {
        let selected = self.selected?;
        let words = self.words.text().trim().to_owned();
        if self.menu.several {
            let options: Vec<usize> = self.ticked.iter().copied().collect();
            return (!options.is_empty() || !words.is_empty()).then_some(Picked { options, words });
        }
        Some(match self.in_words() {
            true => Picked {
                options: Vec::new(),
                words,
            },
            false => Picked {
                options: vec![selected],
                words: String::new(),
            },
        })
    }
}
