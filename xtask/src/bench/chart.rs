//! The figures as a chart: one panel for each selection, bars on a logarithmic scale.

use std::fmt::Write as _;

use anyhow::Result;

use super::figures::{Figures, Selection};
use super::host;
use super::metric::show;
use crate::workspace::Workspace;

pub(crate) const PATH: &str = "docs/bench/chart.svg";

const PANELS: [Selection; 4] = [
    Selection::new(
        "Small call, p50, one core (less is better)",
        "sequential",
        1,
        "p50_us",
    ),
    Selection::new(
        "Calls in a second, 64 in flight (more is better)",
        "in-flight-64",
        2,
        "per_second",
    ),
    Selection::new(
        "200,000 small messages (less is better)",
        "messages-small",
        2,
        "stream_ms",
    ),
    Selection::new(
        "Memory, connected (less is better)",
        "connect",
        2,
        "connected_kib",
    ),
];

const WIDTH: f64 = 760.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 90.0;
const BAR: f64 = 20.0;
const TITLE: f64 = 34.0;

pub(crate) fn write(workspace: &Workspace, figures: &Figures) -> Result<()> {
    let mut body = String::new();
    let mut y = 0.0;
    for panel in &PANELS {
        y = draw(panel, &mut body, figures, y);
    }
    let height = y + 10.0;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    );
    workspace.write(PATH, &svg)
}

/// Draws a panel from `top` downwards; returns its end.
fn draw(panel: &Selection, body: &mut String, figures: &Figures, top: f64) -> f64 {
    let hosts = figures.hosts().into_iter();
    let bars: Vec<(&str, f64)> = hosts
        .filter_map(|host| Some((host, panel.value(figures, host)?)))
        .collect();
    if bars.is_empty() {
        return top;
    }
    let _ = writeln!(
        body,
        "<text x=\"10\" y=\"{}\" font-weight=\"bold\">{}</text>",
        top + 24.0,
        panel.title
    );
    let smallest = bars
        .iter()
        .map(|(_, value)| *value)
        .fold(f64::MAX, f64::min);
    let largest = bars.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut y = top + TITLE;
    for (host, value) in bars {
        let length = bar_length(value, smallest, largest);
        let middle = y + BAR * 0.65;
        let _ = writeln!(
            body,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{middle}\">{}</text>",
            LEFT - 8.0,
            host::title(host).replace('`', ""),
            BAR - 5.0,
            colour(host),
            LEFT + length + 6.0,
            show(panel.metric, value),
        );
        y += BAR;
    }
    y
}

/// Returns a length on a logarithmic scale; the smallest value still has a bar.
fn bar_length(value: f64, smallest: f64, largest: f64) -> f64 {
    let room = WIDTH - LEFT - RIGHT;
    let shortest = room * 0.08;
    if largest <= smallest {
        return room;
    }
    shortest + (room - shortest) * (value / smallest).ln() / (largest / smallest).ln()
}

fn colour(host: &str) -> &'static str {
    match host {
        "floor" => "#9aa0a6",
        "typescript" | "python" => "#c98b5e",
        _ => "#2f7d6d",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_logarithm() {
        let room = WIDTH - LEFT - RIGHT;
        let lengths = [1.0, 10.0, 100.0].map(|value| bar_length(value, 1.0, 100.0));
        assert!((lengths[2] - room).abs() < 1e-9);
        assert!((lengths[1] - f64::midpoint(lengths[0], lengths[2])).abs() < 1e-9);
        assert!(lengths[0] > 0.0);
    }
}
