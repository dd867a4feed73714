use std::io::{self, stdout};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::{cursor, execute, terminal};

/// Raw mode of the terminal, until dropped.
pub(crate) struct RawMode(());

impl RawMode {
    pub(crate) fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let raw = Self(());
        execute!(stdout(), EnableBracketedPaste)?;
        Ok(raw)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // Fails if the terminal is gone.
        let _ = execute!(stdout(), DisableBracketedPaste, cursor::Show);
        let _ = terminal::disable_raw_mode();
    }
}
