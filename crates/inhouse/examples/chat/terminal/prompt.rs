use crossterm::event::{KeyCode, KeyEvent};

use super::line::Line;

/// The line in which the next prompt is typed, with those before it in reach of the arrow keys.
#[derive(Default)]
pub(crate) struct Prompt {
    pub(crate) line: Line,
    history: Vec<String>,
    /// How many steps back in history the line is; 0 is the new one.
    back: usize,
}

impl Prompt {
    /// Takes a key; gives the line when it is complete.
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
