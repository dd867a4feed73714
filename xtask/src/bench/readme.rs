//! The lines about speed in README.md, written from the figures.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::figures::{Figures, Selection};
use super::metric::show;
use super::{chart, host, results};
use crate::workspace::Workspace;

const README: &str = "README.md";
const BEGIN: &str = "<!-- figures: written by `cargo xtask bench`, not by hand -->\n";
const END: &str = "<!-- end of figures -->\n";

const LINES: [Selection; 4] = [
    Selection::new("Small tool call, p50, one core", "sequential", 1, "p50_us"),
    Selection::new(
        "Tool calls with 64 in flight",
        "in-flight-64",
        2,
        "per_second",
    ),
    Selection::new("200,000 small messages", "messages-small", 2, "stream_ms"),
    Selection::new("Memory, connected", "connect", 2, "connected_kib"),
];

pub(crate) fn write(workspace: &Workspace, figures: &Figures) -> Result<()> {
    let readme = with_section(&workspace.read(README)?, &section(figures))?;
    workspace.write(README, &readme)
}

fn with_section(readme: &str, section: &str) -> Result<String> {
    let missing = || format!("{README} has no section `{}`", BEGIN.trim());
    let (before, rest) = readme.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    Ok(format!("{before}{BEGIN}{section}{END}{after}"))
}

fn section(figures: &Figures) -> String {
    let mut text = format!("\n![Hosts side by side]({})\n\n", chart::PATH);
    for line in LINES
        .iter()
        .filter_map(|selection| line(selection, figures))
    {
        let _ = writeln!(text, "- {line}.");
    }
    let (date, path) = (&figures.date, results::PATH);
    let _ = writeln!(text, "- All figures of {date}: [{path}]({path}).\n");
    text
}

/// Returns the figure of inhouse, then those of the official SDKs and how many times better inhouse is.
fn line(selection: &Selection, figures: &Figures) -> Option<String> {
    let Selection { title, metric, .. } = selection;
    let own = selection.value(figures, "closure")?;
    let mut text = format!("{title}: {}", show(metric, own));
    for (sdk, separator) in [("typescript", "; "), ("python", ", ")] {
        let Some(other) = selection.value(figures, sdk) else {
            continue;
        };
        let times = if *metric == "per_second" {
            own / other
        } else {
            other / own
        };
        let (name, value) = (host::title(sdk), show(metric, other));
        let _ = write!(text, "{separator}{name} {value} ({})", two_digits(times));
    }
    Some(text)
}

/// Renders a ratio with two significant digits: `2.4 ×`, `21 ×`, `680 ×`.
fn two_digits(times: f64) -> String {
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
        let written = with_section(&readme, &section(&figures)).unwrap();
        assert_eq!(written, readme, "run `cargo xtask bench --pages`");
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
        assert_eq!(two_digits(2.44), "2.4 ×");
        assert_eq!(two_digits(21.4), "21 ×");
        assert_eq!(two_digits(677.0), "680 ×");
    }
}
