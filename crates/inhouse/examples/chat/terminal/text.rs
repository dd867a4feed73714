//! Text that fits on the screen.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Removes control characters: the output of a model or a tool may contain escape sequences.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => clean.push('\n'),
            '\t' => clean.push_str("    "),
            letter if letter.is_control() => {}
            letter => clean.push(letter),
        }
    }
    clean
}

/// Returns the number of columns of a line.
pub(crate) fn width(line: &str) -> usize {
    line.width()
}

/// Truncates a line, with `…` at the end.
pub(crate) fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let fits = |letter: &char| {
        let left = room.checked_sub(letter.width().unwrap_or(0));
        room = left.unwrap_or(room);
        left.is_some()
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

/// Wraps the lines of a text.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(end) = break_at(rest, columns) {
            lines.push(rest[..end].trim_end().to_owned());
            rest = &rest[end..];
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Returns where to break a line that is too wide: after the last space that fits, or in a word.
pub(crate) fn break_at(line: &str, columns: usize) -> Option<usize> {
    let (mut used, mut behind_blank) = (0, None);
    for (at, letter) in line.char_indices() {
        used += letter.width().unwrap_or(0);
        if letter == ' ' {
            behind_blank = Some(at + 1);
        }
        if used > columns && at > 0 {
            return Some(behind_blank.unwrap_or(at));
        }
    }
    None
}
