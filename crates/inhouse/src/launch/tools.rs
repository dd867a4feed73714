use super::agents::skill_rules;
use super::plan::Builder;
use super::problems::Problems;
use crate::ask::{Parentheses, tool_name};
use crate::options::Options;
use crate::permission::PermissionBehavior;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let tools = &options.tools;
    let selected = tools.set.iter().filter_map(|set| set.names.as_ref());
    problems.reject_empty_each("tools", selected.flatten());
    let (allow, deny) = (PermissionBehavior::Allow, PermissionBehavior::Deny);
    validate_rules("allow_tools", &allow, &tools.allow, problems);
    validate_rules("disallow_tools", &deny, &tools.disallow, problems);
    for (from, to) in &tools.aliases {
        problems.add_if(
            from.is_empty() || to.is_empty(),
            "a tool alias with an empty name; name both tools",
        );
    }
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (tools, args) = (&options.tools, &mut builder.args);
    if let Some(set) = &tools.set {
        match set.names.as_deref() {
            None => args.value("tools", "default"),
            Some([]) => args.value("tools", ""),
            Some(names) => args.values("tools", names),
        }
    }
    let mut allow = tools.allow.clone();
    for rule in skill_rules(options) {
        if !allow.contains(&rule) {
            allow.push(rule);
        }
    }
    args.values("allowedTools", allow);
    args.values("disallowedTools", &tools.disallow);
    builder.initialize.tool_aliases.clone_from(&tools.aliases);
    if let Some(format) = tools.question_preview {
        builder.set_env("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format.as_str());
    }
    builder.confirm_before_prompt_if(tools.set.is_some() || !tools.disallow.is_empty());
}

/// Reports rules that the CLI would not read as written.
///
/// The CLI splits a value into several rules at spaces and commas outside of parentheses, and users
/// rely on that. The first closing parenthesis ends all open ones, so a rule with nested parentheses
/// is split after it.
fn validate_rules(
    option: &str,
    behavior: &PermissionBehavior,
    values: &[String],
    problems: &mut Problems,
) {
    for value in values {
        problems.reject_empty(option, value);
        let rules = split_rules(value);
        if let Some(rule) = rules.iter().find(|rule| !has_balanced_parentheses(rule)) {
            problems.add(if rules.len() > 1 {
                format!(
                    "the CLI would split the rule `{value}` of `{option}` into `{}`; put it into a \
                     `Policy`, which passes it unchanged",
                    rules.join("`, `")
                )
            } else {
                format!("the parentheses in the rule `{rule}` of `{option}` do not match")
            });
            continue;
        }
        for rule in rules {
            let (tool, content) = match Parentheses::in_text(rule) {
                Parentheses::Around { open } => {
                    (&rule[..open], Some(&rule[open + 1..rule.len() - 1]))
                }
                _ => (rule, None),
            };
            let flaw = tool_name::certain_flaw(tool, content)
                .or_else(|| tool_name::flaw_with(tool, behavior));
            if let Some(flaw) = flaw {
                problems.add(flaw.describe(format_args!("the rule `{rule}` of `{option}`")));
            }
        }
    }
}

/// Splits the value of `--allowedTools` or `--disallowedTools` into rules, as the CLI does (2.1.325).
pub(super) fn split_rules(value: &str) -> Vec<&str> {
    let mut inside = false;
    let rules = value.split(|c: char| {
        match c {
            '(' => inside = true,
            ')' => inside = false,
            _ => {}
        }
        !inside && (c == ',' || c == ' ')
    });
    rules.filter(|rule| !rule.is_empty()).collect()
}

fn has_balanced_parentheses(rule: &str) -> bool {
    matches!(
        Parentheses::in_text(rule),
        Parentheses::None | Parentheses::Around { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_split_outside_of_parentheses() {
        assert_eq!(
            split_rules("Read,Bash(git log *) Write"),
            ["Read", "Bash(git log *)", "Write"]
        );
        assert_eq!(split_rules("Bash(f(1, 2))"), ["Bash(f(1, 2))"]);
    }

    #[test]
    fn first_closing_parenthesis_ends_all_parentheses() {
        assert_eq!(split_rules("Bash(echo (a) b)"), ["Bash(echo (a)", "b)"]);
        assert_eq!(
            split_rules(r"Bash(echo \(a\), b)"),
            [r"Bash(echo \(a\)", "b)"]
        );
    }
}
