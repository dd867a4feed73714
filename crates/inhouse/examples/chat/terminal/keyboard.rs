use std::io::{self, Write, stdout};

use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use crossterm::{cursor, execute, terminal};
use tokio::sync::mpsc;

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
        let _ = stdout().flush();
    }
}

/// Returns the events of the terminal.
///
/// Reading blocks, so it runs on a thread. It is not on tokio's blocking pool, because the runtime
/// would wait for it on shutdown.
pub(crate) fn listen() -> mpsc::UnboundedReceiver<Event> {
    let (events, received) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read()
            && events.send(event).is_ok()
        {}
    });
    received
}
