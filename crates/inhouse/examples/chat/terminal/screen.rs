use std::io::{self, Write};

use crossterm::cursor::{Hide, MoveToColumn, MoveUp, Show};
use crossterm::queue;
use crossterm::style::{Print, StyledContent, Stylize};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

use super::line::Line;
use super::text::{break_at, cut, printable, width};

/// A styled line of text.
pub(crate) type Styled = StyledContent<String>;

/// The lines below the conversation, which are redrawn on every change.
#[derive(Default)]
pub(crate) struct Footer {
    pub(crate) lines: Vec<Styled>,
    /// The line and the column of the cursor; `None` for the end of the last line.
    cursor: Option<(usize, usize)>,
}

impl Footer {
    /// Appends another footer.
    pub(crate) fn append(&mut self, other: Self) {
        let above = self.lines.len();
        self.cursor = other.cursor.map(|(line, column)| (line + above, column));
        self.lines.extend(other.lines);
    }

    /// Adds a line editor with the cursor.
    pub(crate) fn typing(&mut self, label: &str, line: &Line, columns: usize) {
        let (text, column) = line.view(columns.saturating_sub(width(label) + 1));
        self.cursor = Some((self.lines.len(), width(label) + column));
        self.lines.push(format!("{label}{text}").stylize());
    }
}

/// A conversation that scrolls, above a footer at the bottom.
pub(crate) struct Screen<W> {
    out: W,
    pub(crate) columns: usize,
    rows: usize,
    /// Lines of the conversation that are not drawn yet.
    finished: Vec<Styled>,
    /// The last line of streamed text, which is drawn as part of the footer.
    unfinished: String,
    /// The row of the cursor, relative to the start of the footer.
    cursor_row: usize,
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W, (columns, rows): (u16, u16)) -> Self {
        let mut screen = Self {
            out,
            columns: 0,
            rows: 0,
            finished: Vec::new(),
            unfinished: String::new(),
            cursor_row: 0,
        };
        screen.resize(columns, rows);
        screen
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.columns = usize::from(columns).max(20);
        self.rows = usize::from(rows).max(5);
    }

    /// Adds whole lines.
    pub(crate) fn lines(&mut self, text: &Styled) {
        self.end_text();
        let clean = printable(text.content());
        let lines = clean.lines();
        self.finished
            .extend(lines.map(|line| StyledContent::new(*text.style(), line.to_owned())));
    }

    /// Appends streamed text.
    pub(crate) fn text(&mut self, text: &str) {
        self.unfinished.push_str(&printable(text));
        loop {
            let newline = self.unfinished.find('\n');
            let first = &self.unfinished[..newline.unwrap_or(self.unfinished.len())];
            let too_wide = break_at(first, self.columns - 1);
            let (end, next) = match (too_wide, newline) {
                (Some(end), _) => (end, end),
                (None, Some(end)) => (end, end + 1),
                (None, None) => return,
            };
            let rest = self.unfinished.split_off(next);
            self.unfinished.truncate(end);
            let line = std::mem::replace(&mut self.unfinished, rest);
            self.finished.push(line.stylize());
        }
    }

    /// Ends the streamed text with a line break.
    pub(crate) fn end_text(&mut self) {
        if !self.unfinished.is_empty() {
            self.text("\n");
        }
    }

    /// Draws new lines and the footer.
    pub(crate) fn draw(&mut self, footer: Footer) -> io::Result<()> {
        let unfinished = Some(self.unfinished.clone()).filter(|text| !text.is_empty());
        let unfinished = unfinished.map(Stylize::stylize);
        let shift = usize::from(unfinished.is_some());
        let lines: Vec<Styled> = unfinished.into_iter().chain(footer.lines).collect();
        // A footer higher than the screen would scroll, and could not be erased.
        let surplus = lines.len().saturating_sub(self.rows - 1);
        let lines = &lines[surplus..];
        let last = lines.len().saturating_sub(1);
        let end = (last, lines.last().map_or(0, |line| width(line.content())));
        let (row, column) = match footer.cursor {
            Some((row, column)) => ((row + shift).saturating_sub(surplus), column),
            None => end,
        };

        queue!(self.out, BeginSynchronizedUpdate, Hide)?;
        up(&mut self.out, self.cursor_row)?;
        queue!(self.out, MoveToColumn(0), Clear(ClearType::FromCursorDown))?;
        for line in self.finished.drain(..) {
            queue!(self.out, Print(line), Print("\r\n"))?;
        }
        for (at, line) in lines.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\r\n" };
            let fitting = cut(line.content(), self.columns - 1);
            let line = StyledContent::new(*line.style(), fitting);
            queue!(self.out, Print(gap), Print(line))?;
        }
        up(&mut self.out, last - row.min(last))?;
        let column = u16::try_from(column.min(self.columns - 1)).unwrap_or(0);
        queue!(self.out, MoveToColumn(column), Show, EndSynchronizedUpdate)?;
        self.cursor_row = row.min(last);
        self.out.flush()
    }
}

/// Moves up. Terminals treat zero rows as one.
fn up(out: &mut impl Write, rows: usize) -> io::Result<()> {
    match u16::try_from(rows) {
        Ok(rows) if rows > 0 => queue!(out, MoveUp(rows)),
        _ => Ok(()),
    }
}
