use crossterm::event::{KeyCode, KeyEvent};

use super::line::Line;

/// The line editor of the prompt, with a history on the arrow keys.
#[derive(Default)]
pub(crate) struct Prompt {
    pub(crate) line: Line,
    history: Vec<String>,
    /// The number of steps back in the history; 0 is the new line.
    back: usize,
}

impl Prompt {
    /// Handles a key; returns the line on Enter.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Option<String> {
        match key.code {
            KeyCode::Enter => {
                self.back = 0;
                let line = self.line.take();
                if !line.trim().is_empty() {
                    self.history.push(line.clone());
                }
                return Some(line);
            }
            KeyCode::Up if self.back < self.history.len() => self.recall(self.back + 1),
            KeyCode::Down if self.back > 0 => self.recall(self.back - 1),
            _ => self.line.press(key),
        }
        None
    }

    fn recall(&mut self, back: usize) {
        self.back = back;
        let at = self.history.len() - back;
        let line = self.history.get(at).map_or("", String::as_str);
        self.line.set(line);
    }
}
