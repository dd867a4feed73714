use crossterm::style::Stylize;
use tokio::time::Instant;

use super::screen::Styled;
use super::text::{cut, printable};

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

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

impl RunningTools {
    pub(crate) fn begin(&mut self, id: String, label: &str) {
        self.tools.push(Running {
            id,
            label: first_line(label),
            since: Instant::now(),
        });
    }

    /// Removes a tool, and returns the lines that stay on the screen: the call and its result.
    pub(crate) fn end(
        &mut self,
        id: &str,
        failed: bool,
        outcome: &str,
        columns: usize,
    ) -> Vec<Styled> {
        let Some(at) = self.tools.iter().position(|tool| tool.id == id) else {
            return Vec::new();
        };
        let label = self.tools.remove(at).label;
        let mark = if failed { '✗' } else { '✓' };
        let line = cut(&format!("{mark} {label}"), columns);
        let mut lines = vec![if failed { line.red() } else { line.green() }];
        if !outcome.trim().is_empty() {
            lines.push(cut(&format!("    {}", first_line(outcome)), columns).dim());
        }
        lines
    }

    /// Removes all tools without a result, and returns their lines.
    pub(crate) fn abandon(&mut self) -> Vec<Styled> {
        let tools = self.tools.drain(..);
        tools
            .map(|tool| format!("✗ {}", tool.label).red())
            .collect()
    }

    pub(crate) fn lines(&self, tick: usize) -> Vec<Styled> {
        let lines = self.tools.iter().map(|tool| {
            let seconds = tool.since.elapsed().as_secs();
            let time = match seconds {
                0..3 => String::new(),
                _ => format!(" ({seconds} s)"),
            };
            format!("{} {}{time}", spinner(tick), tool.label).cyan()
        });
        lines.collect()
    }
}

pub(crate) fn spinner(tick: usize) -> char {
    SPINNER[tick % SPINNER.len()]
}

fn first_line(text: &str) -> String {
    let clean = printable(text);
    let mut lines = clean.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) => format!("{first} …"),
        None => first.to_owned(),
    }
}
