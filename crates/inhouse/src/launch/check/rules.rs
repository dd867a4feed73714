//! Rules that go into `--allowedTools` and `--disallowedTools`.

use super::Problems;
use crate::ask::{Parentheses, tool_name};
use crate::permission::PermissionBehavior;

/// Reports rules that certainly are not what was meant.
///
/// The CLI reads one of them as several when it has blanks or commas outside of parentheses, and
/// people use that. Its idea of "outside" is simple, though: every closing parenthesis ends them.
pub(super) fn check(
    option: &str,
    behavior: &PermissionBehavior,
    rules: &[String],
    problems: &mut Problems,
) {
    for rule in rules {
        problems.not_empty(option, rule);
        let pieces = pieces(rule);
        let torn = |piece: &&&str| !is_whole(piece);
        if let Some(piece) = pieces.iter().find(torn) {
            problems.add(if pieces.len() > 1 {
                format!(
                    "the CLI would cut the rule `{rule}` of `{option}` apart, into `{}`; put it \
                     into a `Policy`, which can pass it on",
                    pieces.join("`, `")
                )
            } else {
                format!("the parentheses in the rule `{piece}` of `{option}` do not match")
            });
            continue;
        }
        for piece in pieces {
            let (tool, content) = match Parentheses::in_text(piece) {
                Parentheses::Around { open } => {
                    (&piece[..open], Some(&piece[open + 1..piece.len() - 1]))
                }
                _ => (piece, None),
            };
            let flaw = tool_name::certain_flaw(tool, content)
                .or_else(|| tool_name::flaw_with(tool, behavior));
            if let Some(flaw) = flaw {
                let rule = format_args!("the rule `{piece}` of `{option}`");
                problems.add(flaw.describe(rule));
            }
        }
    }
}

/// The rules that the CLI finds in a value of the flag (2.1.325).
pub(in crate::launch) fn pieces(value: &str) -> Vec<&str> {
    let mut inside = false;
    let pieces = value.split(|c: char| {
        match c {
            '(' => inside = true,
            ')' => inside = false,
            _ => {}
        }
        !inside && (c == ',' || c == ' ')
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

fn is_whole(piece: &str) -> bool {
    matches!(
        Parentheses::in_text(piece),
        Parentheses::None | Parentheses::Around { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_parenthesis_ends_the_inside_whatever_comes_before_it() {
        assert_eq!(
            pieces("Read,Bash(git log *) Write"),
            ["Read", "Bash(git log *)", "Write"]
        );
        assert_eq!(pieces("Bash(echo (a) b)"), ["Bash(echo (a)", "b)"]);
        assert_eq!(pieces(r"Bash(echo \(a\), b)"), [r"Bash(echo \(a\)", "b)"]);
        assert_eq!(pieces("Bash(f(1, 2))"), ["Bash(f(1, 2))"]);
    }
}
