use super::plan::Builder;
use super::problems::Problems;
use crate::options::Options;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    problems.reject_empty_each("agents", options.agents.definitions.keys());
    problems.reject_empty_each("agent", &options.agents.main);
    for name in selected_skills(options).into_iter().flatten() {
        if let Some(flaw) = skill_name_flaw(name) {
            problems.add(format!(
                "the skill name {name:?} {flaw}; use the plain name, or `Skills::all()`"
            ));
        }
    }
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    builder.args.values("agent", &options.agents.main);
    let agents = options.agents.definitions.iter();
    builder.initialize.agents = agents
        .map(|(name, agent)| (name.clone(), agent.0.clone()))
        .collect();
    builder.initialize.skills = selected_skills(options).map(<[String]>::to_vec);
    builder.confirm_before_prompt_if(selected_skills(options).is_some());
}

/// Returns the permission rules that allow the selected skills.
pub(super) fn skill_rules(options: &Options) -> Vec<String> {
    match selected_skills(options) {
        Some(names) => names.iter().map(|name| format!("Skill({name})")).collect(),
        None if options.agents.skills.is_some() => vec!["Skill".to_owned()],
        None => Vec::new(),
    }
}

/// Returns the skills that are selected by name.
fn selected_skills(options: &Options) -> Option<&[String]> {
    options.agents.skills.as_ref()?.names.as_deref()
}

/// Returns why a name does not fit into the rule `Skill(name)`.
fn skill_name_flaw(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("is empty")
    } else if name.trim() != name {
        Some("starts or ends with whitespace")
    } else if name.contains(|c: char| matches!(c, '(' | ')' | ',' | '\u{feff}') || c.is_control()) {
        Some("contains a parenthesis, a comma or a control character")
    } else if name == "*" || name.ends_with(":*") || name.ends_with(" *") {
        Some("is a pattern")
    } else if name.starts_with('/') {
        Some("starts with a slash")
    } else if name.contains("\\\\") || name.ends_with('\\') {
        Some("ends with a backslash or contains two in a row")
    } else {
        None
    }
}
