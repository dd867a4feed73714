use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::text::width;

/// A line of text in an editor.
#[derive(Default)]
pub(crate) struct Line {
    text: String,
    /// The byte position of the cursor.
    cursor: usize,
}

impl Line {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text and clears the line.
    pub(crate) fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    pub(crate) fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        self.cursor = text.len();
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    pub(crate) fn press(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('u') if control => self.erase_from(0),
            KeyCode::Char('w') if control => self.erase_from(self.start_of_word()),
            KeyCode::Char(letter) if !control => self.insert(letter.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => self.erase_from(self.before()),
            KeyCode::Delete if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => {}
        }
    }

    /// Returns the visible part around the cursor, and the column of the cursor in it.
    ///
    /// A pasted line break is shown as `⏎`.
    pub(crate) fn view(&self, columns: usize) -> (String, usize) {
        let shown = |text: &str| text.replace('\n', "⏎");
        let before = shown(&self.text[..self.cursor]);
        let starts = before.char_indices().map(|(at, _)| at);
        let start = starts
            .chain([before.len()])
            .find(|&start| width(&before[start..]) < columns)
            .unwrap_or(before.len());
        let column = width(&before[start..]);
        let after = shown(&self.text[self.cursor..]);
        (format!("{}{after}", &before[start..]), column)
    }

    fn erase_from(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn before(&self) -> usize {
        let mut letters = self.text[..self.cursor].char_indices();
        letters.next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let mut letters = self.text[self.cursor..].chars();
        self.cursor + letters.next().map_or(0, char::len_utf8)
    }

    fn start_of_word(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before.rfind(' ').map_or(0, |at| at + 1)
    }
}
