use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_core::style::Stylize;
use ratatui_core::text::{Line, Span, Text};

use super::editor::Editor;

/// The maximum number of suggestions on the screen.
const SUGGESTIONS: usize = 6;

/// A slash command that can be completed.
pub(crate) struct Completion {
    /// The name, with the slash.
    pub(crate) name: String,
    pub(crate) description: String,
}

/// The prompt, with a history on the arrow keys and completion of slash commands.
#[derive(Default)]
pub(crate) struct Prompt {
    pub(crate) editor: Editor,
    pub(crate) completions: Vec<Completion>,
    /// The selected suggestion.
    selected: usize,
    /// The suggestions were closed with Esc.
    dismissed: bool,
    history: Vec<String>,
    /// The number of steps back in the history; 0 is the new prompt.
    back: usize,
}

impl Prompt {
    /// Handles a key; returns the prompt on Enter.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Option<String> {
        let suggestions = self.suggestions();
        let selected = suggestions.get(self.selected);
        let selected = selected.map(|completion| completion.name.clone());
        let last = suggestions.len().saturating_sub(1);
        match (key.code, selected) {
            (KeyCode::Enter, _) if starts_line(key) => self.editor.insert("\n"),
            (KeyCode::Char('j'), _) if starts_line(key) => self.editor.insert("\n"),
            (KeyCode::Enter, completed) => {
                let prompt = completed.unwrap_or_else(|| self.editor.text());
                self.clear();
                if !prompt.trim().is_empty() {
                    self.history.push(prompt.clone());
                }
                return Some(prompt);
            }
            (KeyCode::Tab, Some(name)) => self.set(&format!("{name} ")),
            (KeyCode::Tab, None) => {}
            (KeyCode::Up, Some(_)) => self.selected = self.selected.saturating_sub(1),
            (KeyCode::Down, Some(_)) => self.selected = last.min(self.selected + 1),
            (KeyCode::Up, None) if self.editor.is_on_first_line() => self.recall(self.back + 1),
            (KeyCode::Down, None) if self.editor.is_on_last_line() && self.back > 0 => {
                self.recall(self.back - 1);
            }
            _ => {
                self.editor.press(key);
                (self.selected, self.dismissed) = (0, false);
            }
        }
        None
    }

    /// Closes the suggestions; returns whether there were any.
    pub(crate) fn dismiss(&mut self) -> bool {
        let open = !self.suggestions().is_empty();
        self.dismissed = true;
        open
    }

    pub(crate) fn clear(&mut self) {
        self.set("");
        self.back = 0;
    }

    /// Returns the lines with the suggestions, around the selected one.
    pub(crate) fn suggestion_lines(&self) -> Text<'_> {
        let suggestions = self.suggestions();
        let first = (self.selected + 1).saturating_sub(SUGGESTIONS);
        let shown = suggestions.iter().enumerate().skip(first);
        shown
            .take(SUGGESTIONS)
            .map(|(at, completion)| {
                let line = Line::from(vec![
                    Span::raw(format!("  {:<20} ", completion.name)),
                    Span::raw(&completion.description).dim(),
                ]);
                match at == self.selected {
                    true => line.cyan(),
                    false => line,
                }
            })
            .collect()
    }

    /// Returns the commands that start with the text, while it is one word. An exact match comes first, so that
    /// Enter sends what was typed.
    fn suggestions(&self) -> Vec<&Completion> {
        let text = self.editor.text();
        if self.dismissed || !text.starts_with('/') || text.contains(char::is_whitespace) {
            return Vec::new();
        }
        let completions = self.completions.iter();
        let mut found: Vec<&Completion> = completions
            .filter(|completion| completion.name.starts_with(&text))
            .collect();
        found.sort_by_key(|completion| completion.name != text);
        found
    }

    fn recall(&mut self, back: usize) {
        let Some(at) = self.history.len().checked_sub(back) else {
            return;
        };
        let text = self.history.get(at).cloned().unwrap_or_default();
        self.set(&text);
        self.back = back;
        // The arrow keys continue through the history.
        self.dismissed = true;
    }

    fn set(&mut self, text: &str) {
        self.editor = Editor::with_text(text);
        (self.selected, self.dismissed) = (0, false);
    }
}

/// Returns whether Enter or J is pressed with the modifier that adds a line.
fn starts_line(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Enter => key
            .modifiers
            .intersects(KeyModifiers::ALT | KeyModifiers::SHIFT),
        _ => key.modifiers.contains(KeyModifiers::CONTROL),
    }
}
