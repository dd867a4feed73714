use ratatui_core::layout::{Constraint, Layout, Size};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Text};
use ratatui_widgets::block::Block;
use ratatui_widgets::borders::Borders;
use ratatui_widgets::paragraph::{Paragraph, Wrap};

use super::editor::Editor;

/// The lines below the conversation: a text, the editor that has the cursor, and another text.
pub(crate) struct Footer<'a> {
    pub(crate) size: Size,
    pub(crate) above: Text<'a>,
    /// The text in front of the editor.
    pub(crate) label: Line<'a>,
    pub(crate) editor: &'a Editor,
    /// Whether there are rules above and below the editor.
    pub(crate) ruled: bool,
    pub(crate) below: Text<'a>,
}

impl Footer<'_> {
    /// Returns the number of rows, which is less than the height of the screen.
    pub(crate) fn height(&self) -> u16 {
        self.heights().iter().sum()
    }

    pub(crate) fn render(&self, frame: &mut Frame<'_>) {
        let [above, editor, below] =
            Layout::vertical(self.heights().map(Constraint::Length)).areas(frame.area());
        let text = self.text_above();
        // The end of the text is next to the editor.
        let hidden = text
            .line_count(above.width)
            .saturating_sub(usize::from(above.height));
        let hidden = u16::try_from(hidden).unwrap_or(u16::MAX);
        frame.render_widget(text.scroll((hidden, 0)), above);
        frame.render_widget(&self.below, below);

        let mut inner = editor;
        if self.ruled {
            let rules = Block::new()
                .borders(Borders::TOP | Borders::BOTTOM)
                .border_style(Style::new().dim());
            inner = rules.inner(editor);
            frame.render_widget(rules, editor);
        }
        let label = Constraint::Length(self.label_width());
        let [label, field] = Layout::horizontal([label, Constraint::Fill(1)]).areas(inner);
        frame.render_widget(&self.label, label);
        self.editor.render(frame, field);
    }

    fn heights(&self) -> [u16; 3] {
        let room = self.size.height.saturating_sub(1);
        let columns = self.size.width.saturating_sub(self.label_width());
        let rules = if self.ruled { 2 } else { 0 };
        let editor = (self.editor.height(columns) + rules).min(room);
        let below = rows(self.below.height()).min(room - editor);
        let above = rows(self.text_above().line_count(self.size.width));
        [above.min(room - editor - below), editor, below]
    }

    fn label_width(&self) -> u16 {
        rows(self.label.width())
    }

    fn text_above(&self) -> Paragraph<'_> {
        Paragraph::new(self.above.clone()).wrap(Wrap { trim: false })
    }
}

fn rows(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
