//! The lines about speed in README, written from the figures.

use std::fmt::Write as _;

use super::figures::Figures;
use super::metric::show;
use super::{chart, host, results};
use crate::workspace::Workspace;

const README: &str = "README.md";
const BEGIN: &str = "<!-- figures: written by `cargo xtask bench`, not by hand -->\n";
const END: &str = "<!-- end of figures -->\n";

/// One line: what is measured, and which figure it is.
struct Line {
    title: &'static str,
    scenario: &'static str,
    cores: usize,
    metric: &'static str,
}

const LINES: [Line; 4] = [
    Line {
        title: "Small tool call, p50, one core",
        scenario: "sequential",
        cores: 1,
        metric: "p50_us",
    },
    Line {
        title: "Tool calls with 64 in flight",
        scenario: "in-flight-64",
        cores: 2,
        metric: "per_second",
    },
    Line {
        title: "200,000 small messages",
        scenario: "messages-small",
        cores: 2,
        metric: "stream_ms",
    },
    Line {
        title: "Memory, connected",
        scenario: "connect",
        cores: 2,
        metric: "connected_kib",
    },
];

const OURS: &str = "closure";

/// Writes the lines into README.
pub(crate) fn write(workspace: &Workspace, figures: &Figures) -> Result<(), String> {
    let readme = with_section(&workspace.read(README)?, &section(figures))?;
    let path = workspace.root().join(README);
    std::fs::write(&path, readme).map_err(|cause| format!("{README}: {cause}"))
}

fn with_section(readme: &str, section: &str) -> Result<String, String> {
    let missing = || format!("{README} has no place for figures: `{}`", BEGIN.trim());
    let (before, rest) = readme.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}{section}{END}{after}"))
}

fn section(figures: &Figures) -> String {
    let mut text = format!("\n![Hosts side by side]({})\n\n", chart::PATH);
    for line in &LINES {
        if let Some(line) = line.render(figures) {
            let _ = writeln!(text, "- {line}.");
        }
    }
    let _ = writeln!(
        text,
        "- All figures of {}: [{}]({}).\n",
        figures.date,
        results::PATH,
        results::PATH
    );
    text
}

impl Line {
    /// Returns the figure of inhouse, then those of the other SDKs and how many times better it is.
    fn render(&self, figures: &Figures) -> Option<String> {
        let value = |host| figures.value(self.scenario, self.cores, host, self.metric);
        let own = value(OURS)?;
        let mut text = format!("{}: {}", self.title, show(self.metric, own));
        for (peer, separator) in [("typescript", "; "), ("python", ", ")] {
            let Some(other) = value(peer) else { continue };
            let times = if self.metric == "per_second" {
                own / other
            } else {
                other / own
            };
            let _ = write!(
                text,
                "{separator}{} {} ({})",
                host::title(peer),
                show(self.metric, other),
                in_words(times)
            );
        }
        Some(text)
    }
}

/// A ratio to two significant digits: `2.4 ×`, `21 ×`, `680 ×`.
fn in_words(times: f64) -> String {
    if times < 10.0 {
        return format!("{times:.1} ×");
    }
    let scale = 10_f64.powi(times.log10().floor() as i32 - 1);
    format!("{:.0} ×", (times / scale).round() * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_readme_matches_the_committed_figures() {
        let workspace = Workspace::locate();
        let figures = Figures::read(&workspace).unwrap();
        let readme = workspace.read(README).unwrap();
        assert_eq!(
            with_section(&readme, &section(&figures)).unwrap(),
            readme,
            "`cargo xtask bench --pages` writes it again"
        );
    }

    #[test]
    fn only_the_section_is_replaced() {
        let readme = format!("before\n{BEGIN}old\n{END}after\n");
        assert_eq!(
            with_section(&readme, "new\n").unwrap(),
            format!("before\n{BEGIN}new\n{END}after\n")
        );
        assert!(with_section("nothing", "new").is_err());
    }

    #[test]
    fn ratios_have_two_digits() {
        assert_eq!(in_words(2.44), "2.4 ×");
        assert_eq!(in_words(21.4), "21 ×");
        assert_eq!(in_words(677.0), "680 ×");
    }
}
