//! Text for a terminal: colours and tables.

use std::fmt::Display;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

/// Formats a word in red; the stream removes the colour unless it is a terminal that takes colours.
pub(crate) fn red(text: impl Display) -> String {
    styled(Style::new().fg_color(Some(AnsiColor::Red.into())), text)
}

/// Formats a word in green.
pub(crate) fn green(text: impl Display) -> String {
    styled(Style::new().fg_color(Some(AnsiColor::Green.into())), text)
}

/// Formats a text in bold.
pub(crate) fn bold(text: impl Display) -> String {
    styled(Style::new().bold(), text)
}

/// Formats a text that is less important than the rest.
pub(crate) fn dim(text: impl Display) -> String {
    styled(Style::new().dimmed(), text)
}

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints a line. Unlike `println!`, it does not panic if the reader has closed its end.
pub(crate) fn print_line(text: impl Display) -> anyhow::Result<()> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

/// Prints a value as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print_line(serde_json::to_string(value)?)
}

/// Prints rows below their headings, in columns of equal width.
pub(crate) fn print_table<const N: usize>(
    headings: [&str; N],
    rows: &[[String; N]],
) -> anyhow::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells
            .chain([headings[column].width()])
            .max()
            .unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: &[String; N]| {
        let mut text = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.trim_end().to_owned()
    };
    let mut stdout = anstream::stdout();
    writeln!(stdout, "{}", dim(line(&headings.map(str::to_owned))))?;
    for row in rows {
        writeln!(stdout, "{}", line(row))?;
    }
    Ok(())
}

/// Replaces line breaks, and cuts a text to `max` characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = line.char_indices().nth(max) {
        line.truncate(cut);
        line.push('…');
    }
    line.retain(|character| !character.is_control());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_characters() {
        assert_eq!(one_line("a\n  b\tc", 10), "a b c");
        assert_eq!(one_line("äöü", 2), "äö…");
        assert_eq!(one_line("a\u{1b}[31mb", 20), "a[31mb");
    }
}
