use std::io::{self, Write, stdout};

use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use crossterm::{cursor, execute, terminal};
use tokio::sync::mpsc;

/// A terminal that passes every key on at once, until this is dropped.
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
        // Nothing is left to be done about a terminal that is gone.
        let _ = execute!(stdout(), DisableBracketedPaste, cursor::Show);
        let _ = terminal::disable_raw_mode();
        let _ = stdout().flush();
    }
}

/// All that is typed, for as long as there is a terminal.
///
/// Reading blocks, hence a thread. It is not one of tokio's, which would wait for it at the end.
pub(crate) fn listen() -> mpsc::UnboundedReceiver<Event> {
    let (events, received) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read()
            && events.send(event).is_ok()
        {}
    });
    received
}
