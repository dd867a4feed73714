use crossterm::event::{Event, KeyEvent};
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

/// The maximum height of an editor; longer texts scroll.
const MAX_ROWS: u16 = 10;

/// A text that is being edited.
pub(crate) struct Editor {
    area: TextArea<'static>,
}

impl Default for Editor {
    fn default() -> Self {
        Self::with_text("")
    }
}

impl Editor {
    /// Creates an editor with the cursor at the end of a text.
    pub(crate) fn with_text(text: &str) -> Self {
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::Glyph);
        area.set_cursor_line_style(Style::new());
        // The cursor of the terminal is shown instead.
        area.set_cursor_style(Style::new());
        area.insert_str(text);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub(crate) fn is_on_first_line(&self) -> bool {
        self.area.cursor().0 == 0
    }

    pub(crate) fn is_on_last_line(&self) -> bool {
        self.area.cursor().0 + 1 == self.area.lines().len()
    }

    pub(crate) fn press(&mut self, key: KeyEvent) {
        self.area.input(Event::Key(key));
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.area.insert_str(text);
    }

    /// Returns the number of rows with this many columns and a place for the cursor.
    pub(crate) fn height(&self, columns: u16) -> u16 {
        let columns = usize::from(columns.max(1));
        let rows = self.area.lines().iter().map(|line| {
            let width = Line::raw(line.as_str()).width();
            width / columns + 1
        });
        u16::try_from(rows.sum::<usize>()).map_or(MAX_ROWS, |rows| rows.min(MAX_ROWS))
    }

    pub(crate) fn render(&self, frame: &mut Frame<'_>, area: Rect) {
        frame.render_widget(&self.area, area);
        let cursor = self.area.screen_cursor();
        let (top, left) = self.area.scroll_offset();
        let offset = |at: usize, start: u16| u16::try_from(at).unwrap_or(0).saturating_sub(start);
        frame.set_cursor_position(Position {
            x: (area.x + offset(cursor.col, left)).min(area.right().saturating_sub(1)),
            y: area.y + offset(cursor.row, top),
        });
    }
}
