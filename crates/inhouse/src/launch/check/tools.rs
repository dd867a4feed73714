use super::{Problems, rules, skills};
use crate::options::{Options, SkillChoice, ToolChoice};
use crate::permission::PermissionBehavior;

pub(super) fn check(options: &Options, problems: &mut Problems) {
    let tools = &options.tools;
    if let Some(ToolChoice::Only(names)) = tools.set.as_ref().map(|set| &set.0) {
        for name in names {
            problems.not_empty("tools", name);
        }
    }
    let (allow, deny) = (PermissionBehavior::Allow, PermissionBehavior::Deny);
    rules::check("allow_tools", &allow, &tools.allow, problems);
    rules::check("disallow_tools", &deny, &tools.disallow, problems);
    for (from, to) in &tools.aliases {
        problems.add_if(
            from.is_empty() || to.is_empty(),
            "a tool alias with an empty name; name both tools",
        );
    }
    if let Some(SkillChoice::Only(names)) = options.agents.skills.as_ref().map(|skills| &skills.0) {
        for name in names {
            if let Some(flaw) = skills::flaw(name) {
                problems.add(format!(
                    "the skill name {name:?} {flaw}; use the plain name, or `Skills::all()`"
                ));
            }
        }
    }
}
