use ratatui_core::style::Style;
use ratatui_core::text::Line;
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the lines that a call changes in its file; `None` if the tool is not `Write` or `Edit`.
pub(crate) fn of_call(
    tool: &str,
    input: &Map<String, Value>,
    before: &str,
) -> Option<Vec<Line<'static>>> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    match tool {
        "Write" => Some(changes(before, text("content")?)),
        "Edit" => {
            let (old, new) = (text("old_string")?, text("new_string")?);
            let all = input.get("replace_all").and_then(Value::as_bool);
            Some(match all.unwrap_or(false) {
                _ if !before.contains(old) => changes(old, new),
                true => changes(before, &before.replace(old, new)),
                false => changes(before, &before.replacen(old, new, 1)),
            })
        }
        _ => None,
    }
}

fn changes(before: &str, after: &str) -> Vec<Line<'static>> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 {
            lines.push(Line::styled("   ⋮", Style::new().dim()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, index, style) = match change.tag() {
                ChangeTag::Delete => ('-', change.old_index(), Style::new().red()),
                ChangeTag::Insert => ('+', change.new_index(), Style::new().green()),
                ChangeTag::Equal => (' ', change.new_index(), Style::new().dim()),
            };
            let number = index.map_or(0, |index| index + 1);
            let text = change.value().trim_end_matches(['\n', '\r']);
            let text = text.replace('\t', "    ");
            lines.push(Line::styled(format!("{number:>4} {sign} {text}"), style));
        }
    }
    lines
}
