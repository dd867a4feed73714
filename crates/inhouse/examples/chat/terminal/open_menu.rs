use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent};
use crossterm::style::Stylize;

use super::line::Line;
use super::menu::{Menu, Picked};
use super::screen::Footer;
use super::text::{printable, width, wrap};

/// The maximum number of detail lines, so that the options stay on the screen.
const MAX_DETAILS: usize = 12;

/// The state of a menu that is on the screen.
pub(crate) struct OpenMenu {
    menu: Menu,
    /// `None` at first, so that text being typed when the menu opens does not select anything.
    selected: Option<usize>,
    ticked: BTreeSet<usize>,
    words: Line,
}

impl OpenMenu {
    pub(crate) fn new(menu: Menu) -> Self {
        Self {
            menu,
            selected: None,
            ticked: BTreeSet::new(),
            words: Line::default(),
        }
    }

    /// Handles a key; returns the choice when it is complete.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Option<Picked> {
        let rows = self.rows();
        match key.code {
            KeyCode::Enter => return self.picked(),
            KeyCode::Up => self.selected = Some(self.selected.unwrap_or(rows).saturating_sub(1)),
            KeyCode::Down => {
                let next = self.selected.map_or(0, |selected| selected + 1);
                self.selected = Some(next.min(rows.saturating_sub(1)));
            }
            _ if self.in_words() => self.words.press(key),
            KeyCode::Char(' ') => self.tick(),
            KeyCode::Char(digit) => {
                let number = digit.to_digit(10).map_or(0, |digit| digit as usize);
                if (1..=rows).contains(&number) {
                    self.selected = Some(number - 1);
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

    /// Returns the question and the answer as one line.
    pub(crate) fn summary(&self, picked: &Picked) -> String {
        let labels = picked
            .options
            .iter()
            .map(|&at| self.menu.options[at].0.as_str());
        let words = match &self.menu.own_words {
            Some(label) if picked.options.is_empty() => format!("{label}: {}", picked.words),
            _ => picked.words.clone(),
        };
        let words = Some(words.as_str()).filter(|words| !words.is_empty());
        let answer: Vec<&str> = labels.chain(words).collect();
        format!("? {} {}", self.menu.title, answer.join(", "))
    }

    pub(crate) fn footer(&self, columns: usize) -> Footer {
        let mut footer = Footer::default();
        let title = paragraph("? ", &self.menu.title, columns);
        footer.lines.extend(title.into_iter().map(Stylize::bold));
        let details = paragraph("    ", &self.menu.details.join("\n"), columns);
        let hidden = details.len().saturating_sub(MAX_DETAILS);
        let details = details.into_iter().take(MAX_DETAILS);
        footer.lines.extend(details.map(Stylize::stylize));
        if hidden > 0 {
            footer
                .lines
                .push(format!("    … {hidden} more lines").dim());
        }
        for (at, (label, explanation)) in self.menu.options.iter().enumerate() {
            let gap = if explanation.is_empty() { "" } else { ": " };
            let text = format!("{label}{gap}{explanation}");
            let lines = paragraph(&self.bullet(at), &text, columns).into_iter();
            footer
                .lines
                .extend(lines.map(|line| match self.selected == Some(at) {
                    true => line.cyan(),
                    false => line.stylize(),
                }));
        }
        if let Some(label) = &self.menu.own_words {
            let start = format!("{}{label}: ", self.bullet(self.menu.options.len()));
            footer.typing(&start, &self.words, columns);
        }
        let hint = match self.menu.several {
            true => "a number ticks, Enter answers",
            false => "a number and Enter answer",
        };
        footer.lines.push(hint.to_owned().dim());
        footer
    }

    fn bullet(&self, at: usize) -> String {
        let mark = if self.selected == Some(at) {
            '›'
        } else {
            ' '
        };
        let tick = match (self.menu.several, self.ticked.contains(&at)) {
            (true, _) if at == self.menu.options.len() => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, _) => "",
        };
        format!("{mark} {} {tick}", at + 1)
    }

    fn rows(&self) -> usize {
        self.menu.options.len() + usize::from(self.menu.own_words.is_some())
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
    fn picked(&mut self) -> Option<Picked> {
        let selected = self.selected?;
        if self.menu.several {
            let words = self.words.text().trim().to_owned();
            let options: Vec<usize> = self.ticked.iter().copied().collect();
            return (!options.is_empty() || !words.is_empty()).then_some(Picked { options, words });
        }
        Some(match self.in_words() {
            true => Picked {
                options: Vec::new(),
                words: self.words.take().trim().to_owned(),
            },
            false => Picked {
                options: vec![selected],
                words: String::new(),
            },
        })
    }
}

/// Wraps a text with a prefix on its first line and the other lines indented.
fn paragraph(start: &str, text: &str, columns: usize) -> Vec<String> {
    let indent = width(start);
    let lines = wrap(&printable(text), columns.saturating_sub(indent + 1));
    let numbered = lines.into_iter().enumerate();
    numbered
        .map(|(at, line)| match at {
            0 => format!("{start}{line}"),
            _ => format!("{:indent$}{line}", ""),
        })
        .collect()
}
