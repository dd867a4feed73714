use std::io::{self, Stdout, stdout};

use crossterm::SynchronizedUpdate;
use ratatui_core::backend::{Backend, ClearType};
use ratatui_core::layout::Size;
use ratatui_core::terminal::{self, Terminal, TerminalOptions};
use ratatui_core::widgets::Widget;
use ratatui_crossterm::CrosstermBackend;

use super::footer::Footer;
use super::view::Block;

/// The lines at the end of the conversation that are redrawn. The blocks above them scroll away with the
/// rest of the terminal.
pub(crate) struct Viewport {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    height: u16,
}

impl Viewport {
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self {
            terminal: inline(1)?,
            height: 1,
        })
    }

    pub(crate) fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Prints blocks above the footer, and draws the footer.
    pub(crate) fn draw(&mut self, blocks: Vec<Block>, footer: &Footer<'_>) -> io::Result<()> {
        stdout().sync_update(|_| {
            self.set_height(footer.height())?;
            for block in blocks {
                self.print(block)?;
            }
            self.terminal.draw(|frame| footer.render(frame))?;
            Ok(())
        })?
    }

    /// Erases the footer, and leaves the cursor in its place.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let top = self.terminal.get_frame().area().as_position();
        self.terminal.set_cursor_position(top)?;
        self.terminal
            .backend_mut()
            .clear_region(ClearType::AfterCursor)
    }

    /// Replaces the viewport, because the height of one cannot be changed.
    fn set_height(&mut self, height: u16) -> io::Result<()> {
        if height != self.height {
            self.clear()?;
            self.terminal = inline(height)?;
            self.height = height;
        }
        Ok(())
    }

    /// Prints a block and an empty line before it.
    fn print(&mut self, block: Block) -> io::Result<()> {
        let width = self.terminal.size()?.width;
        let paragraph = block.paragraph();
        let lines = u16::try_from(paragraph.line_count(width)).unwrap_or(u16::MAX - 1);
        self.terminal.insert_before(lines + 1, |buffer| {
            let mut area = buffer.area;
            area.y += 1;
            area.height -= 1;
            paragraph.render(area, buffer);
        })
    }
}

fn inline(height: u16) -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    let viewport = terminal::Viewport::Inline(height);
    Terminal::with_options(
        CrosstermBackend::new(stdout()),
        TerminalOptions { viewport },
    )
}
