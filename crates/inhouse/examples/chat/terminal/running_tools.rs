use ratatui_core::style::{Style, Stylize};
use ratatui_core::text::{Line, Text};
use tokio::time::Instant;

use super::view::spinner;

/// The running tools, one line each.
#[derive(Default)]
pub(crate) struct RunningTools {
    tools: Vec<Running>,
}

struct Running {
    id: String,
    label: String,
    since: Instant,
}

/// The result of a tool.
pub(crate) struct Outcome {
    pub(crate) failed: bool,
    pub(crate) lines: Vec<Line<'static>>,
    /// The number of lines that are shown below the call.
    pub(crate) shown: usize,
}

/// A call that has ended: its first lines, and all of them.
pub(crate) struct Ended {
    pub(crate) brief: Text<'static>,
    pub(crate) whole: Text<'static>,
}

impl RunningTools {
    pub(crate) fn begin(&mut self, id: String, label: String) {
        let since = Instant::now();
        self.tools.push(Running { id, label, since });
    }

    /// Removes a tool.
    pub(crate) fn end(&mut self, id: &str, outcome: Outcome, columns: u16) -> Option<Ended> {
        let at = self.tools.iter().position(|tool| tool.id == id)?;
        let label = self.tools.remove(at).label;
        let (mark, style) = match outcome.failed {
            true => ('✗', Style::new().red()),
            false => ('✓', Style::new().green()),
        };
        let title = |label: &str| format!("{mark} {label}");
        let lines: Vec<Line<'static>> = outcome.lines.into_iter().map(indented).collect();

        let mut brief = Text::from(Line::styled(title(&first_line(&label)), style));
        brief.extend(lines.iter().take(outcome.shown).cloned());
        let hidden = lines.len().saturating_sub(outcome.shown);
        let too_wide = |line: &Line<'_>| line.width() > usize::from(columns);
        if hidden > 0 {
            let hint = format!("    … {hidden} more lines (Ctrl-O shows all)");
            brief.push_line(Line::raw(hint).dim());
        } else if brief.iter().any(too_wide) {
            brief.push_line(Line::raw("    … (Ctrl-O shows all)").dim());
        }

        let title = title(&label);
        let title = title
            .lines()
            .map(|line| Line::styled(line.to_owned(), style));
        let whole = title.chain(lines).collect();
        Some(Ended { brief, whole })
    }

    /// Removes all tools without a result, and returns their lines.
    pub(crate) fn abandon(&mut self) -> Vec<Line<'static>> {
        let tools = self.tools.drain(..);
        tools
            .map(|tool| Line::raw(format!("✗ {}", first_line(&tool.label))).red())
            .collect()
    }

    pub(crate) fn lines(&self) -> Vec<Line<'static>> {
        let lines = self.tools.iter().map(|tool| {
            let seconds = tool.since.elapsed().as_secs();
            let time = match seconds {
                0..3 => String::new(),
                _ => format!(" ({seconds} s)"),
            };
            Line::raw(format!("{} {}{time}", spinner(), first_line(&tool.label))).cyan()
        });
        lines.collect()
    }
}

fn indented(mut line: Line<'static>) -> Line<'static> {
    line.spans.insert(0, "    ".into());
    line
}

fn first_line(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) => format!("{first} …"),
        None => first.to_owned(),
    }
}
