//! Draws a trace as an SVG: one bar for each span, below its parent.

use std::fmt::Write as _;

use crate::collector::Span;

const ROW: u64 = 24;
const LABELS: u64 = 330;
const BARS: u64 = 560;
const MARGIN: u64 = 12;
const HEADER: u64 = 34;

/// Returns the picture.
pub(crate) fn draw(spans: &[Span]) -> String {
    let mut rows = Vec::new();
    let roots = spans.iter().filter(|span| span.parent_id.is_empty());
    roots.for_each(|root| add_rows(root, 0, spans, &mut rows));
    let start = spans
        .iter()
        .map(|span| span.start)
        .min()
        .unwrap_or_default();
    let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
    let length = (end - start).max(1);

    let (width, height) = (
        LABELS + BARS + 2 * MARGIN,
        HEADER + ROW * rows.len() as u64 + MARGIN,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (x, (color, label)) in [
        ("#2563eb", "spans of the host"),
        ("#d97706", "spans of the CLI"),
    ]
    .into_iter()
    .enumerate()
    {
        let x = MARGIN + 170 * x as u64;
        line(
            &mut svg,
            format_args!("<rect x=\"{x}\" y=\"10\" width=\"12\" height=\"12\" fill=\"{color}\"/>"),
        );
        line(
            &mut svg,
            format_args!(
                "<text x=\"{}\" y=\"21\" fill=\"#1f2937\">{label}</text>",
                x + 18
            ),
        );
    }
    let whole = format_args!("{} ms", length / 1_000_000).to_string();
    line(
        &mut svg,
        format_args!(
            "<text x=\"{}\" y=\"21\" text-anchor=\"end\" fill=\"#6b7280\">{whole}</text>",
            width - MARGIN
        ),
    );
    for (row, (depth, span)) in rows.into_iter().enumerate() {
        let y = HEADER + ROW * row as u64;
        let color = if span.service == "host" {
            "#2563eb"
        } else {
            "#d97706"
        };
        let at = |time: u64| {
            LABELS + MARGIN + ((time - start) as f64 / length as f64 * BARS as f64) as u64
        };
        let (left, right) = (at(span.start), at(span.end));
        if row % 2 == 0 {
            line(
                &mut svg,
                format_args!(
                    "<rect y=\"{y}\" width=\"{width}\" height=\"{ROW}\" fill=\"#f3f4f6\"/>"
                ),
            );
        }
        line(
            &mut svg,
            format_args!(
                "<text x=\"{}\" y=\"{}\" fill=\"#1f2937\">{}</text>",
                MARGIN + 16 * depth,
                y + 17,
                span.name
            ),
        );
        line(
            &mut svg,
            format_args!(
                "<rect x=\"{left}\" y=\"{}\" width=\"{}\" height=\"12\" rx=\"2\" fill=\"{color}\"/>",
                y + 6,
                (right - left).max(2)
            ),
        );
    }
    svg + "</svg>\n"
}

fn add_rows<'a>(span: &'a Span, depth: u64, spans: &'a [Span], rows: &mut Vec<(u64, &'a Span)>) {
    rows.push((depth, span));
    for child in spans.iter().filter(|child| child.parent_id == span.id) {
        add_rows(child, depth + 1, spans, rows);
    }
}

fn line(svg: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(svg, "{element}").expect("writing to a string succeeds");
}
