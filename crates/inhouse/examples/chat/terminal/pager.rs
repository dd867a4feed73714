use std::io::{self, stdout};

use crossterm::event::{self, Event, KeyCode};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{SynchronizedUpdate, execute};
use ratatui_core::layout::{Constraint, Layout};
use ratatui_core::style::Stylize;
use ratatui_core::terminal::Terminal;
use ratatui_core::text::{Line, Text};
use ratatui_crossterm::CrosstermBackend;
use ratatui_widgets::paragraph::{Paragraph, Wrap};

/// Shows a text on the whole screen, its end first, until the user closes it.
pub(crate) fn show(text: Text<'_>) -> io::Result<()> {
    let _screen = AlternateScreen::enter()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let text = Paragraph::new(text).wrap(Wrap { trim: false });
    let mut back = 0;
    loop {
        let mut page = 0;
        stdout().sync_update(|_| {
            let drawn = terminal.draw(|frame| {
                let [body, hint] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)])
                    .areas(frame.area());
                page = body.height;
                let rows = u16::try_from(text.line_count(body.width)).unwrap_or(u16::MAX);
                let last = rows.saturating_sub(page);
                back = last.min(back);
                frame.render_widget(text.clone().scroll((last - back, 0)), body);
                let keys = "arrows and page keys scroll, Esc returns to the conversation";
                frame.render_widget(Line::raw(keys).dim(), hint);
            });
            drawn.map(|_| ())
        })??;
        let Event::Key(key) = event::read()? else {
            continue;
        };
        match key.code {
            KeyCode::Up => back = back.saturating_add(1),
            KeyCode::Down => back = back.saturating_sub(1),
            KeyCode::PageUp => back = back.saturating_add(page),
            KeyCode::PageDown => back = back.saturating_sub(page),
            KeyCode::Home => back = u16::MAX,
            KeyCode::End => back = 0,
            KeyCode::Esc | KeyCode::Char('q' | 'c' | 'o') => return Ok(()),
            _ => {}
        }
    }
}

/// The alternate screen, until dropped.
struct AlternateScreen;

impl AlternateScreen {
    fn enter() -> io::Result<Self> {
        execute!(stdout(), EnterAlternateScreen)?;
        Ok(Self)
    }
}

impl Drop for AlternateScreen {
    fn drop(&mut self) {
        // Fails if the terminal is gone.
        let _ = execute!(stdout(), LeaveAlternateScreen);
    }
}
