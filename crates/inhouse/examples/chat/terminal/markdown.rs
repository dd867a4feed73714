use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span, Text};
use tui_markdown::{Options, StyleSheet};

/// Renders Markdown.
pub(crate) fn render(markdown: &str, columns: u16) -> Text<'static> {
    let options = Options::new(Styles).table_width(columns);
    // Two blanks keep the line break: models break the lines of poems and addresses without them.
    let markdown = markdown.replace('\t', "    ").replace('\n', "  \n");
    let text = tui_markdown::from_str_with_options(&markdown, &options);
    Text {
        style: text.style,
        alignment: text.alignment,
        lines: text
            .lines
            .into_iter()
            .flat_map(|line| list_item(owned(line), usize::from(columns)))
            .collect(),
    }
}

fn owned(line: Line<'_>) -> Line<'static> {
    let spans = line.spans.into_iter();
    Line {
        style: line.style,
        alignment: line.alignment,
        spans: spans
            .map(|span| Span::styled(span.content.into_owned(), span.style))
            .collect(),
    }
}

/// Wraps a list item, with its further lines below the first word. Other lines stay as they are.
fn list_item(line: Line<'static>, columns: usize) -> Vec<Line<'static>> {
    let indent = match line.spans.first() {
        Some(marker) if is_list_marker(&marker.content) => marker.width(),
        _ => return vec![line],
    };
    let mut lines = Vec::new();
    let mut current = Line::default();
    for span in line.spans {
        for word in span.content.split_inclusive(' ') {
            let width = current.width();
            if width > indent && width + Span::raw(word.trim_end()).width() > columns {
                let next = Line::raw(" ".repeat(indent));
                lines.push(std::mem::replace(&mut current, next));
            }
            current.push_span(Span::styled(word.to_owned(), span.style));
        }
    }
    lines.push(current);
    lines
}

fn is_list_marker(text: &str) -> bool {
    let marker = text.trim();
    let number = marker.strip_suffix('.').unwrap_or_default();
    matches!(marker, "-" | "- [ ]" | "- [x]") || number.parse::<u64>().is_ok()
}

#[derive(Clone)]
struct Styles;

impl StyleSheet for Styles {
    fn heading(&self, level: u8) -> Style {
        match level {
            1 => Style::new().bold().underlined(),
            _ => Style::new().bold(),
        }
    }

    fn heading_marker(&self, _level: u8) -> &str {
        ""
    }

    fn code(&self) -> Style {
        Style::new().cyan()
    }

    fn code_block_fence(&self) -> &str {
        ""
    }

    fn table_header(&self) -> Style {
        Style::new().bold()
    }

    fn table_border(&self) -> Style {
        Style::new().dim()
    }

    fn blockquote(&self) -> Style {
        Style::new().italic()
    }
}
