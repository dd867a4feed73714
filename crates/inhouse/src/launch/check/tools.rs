use super::{Problems, skills};
use crate::options::{Options, PermissionMode, PermissionPrompts, SkillChoice, ToolChoice};

pub(super) fn check(options: &Options, problems: &mut Problems) {
    let tools = &options.tools;
    if let Some(ToolChoice::Only(names)) = tools.set.as_ref().map(|set| &set.0) {
        for name in names {
            problems.not_empty("tools", name);
        }
    }
    for rule in &tools.allow {
        problems.not_empty("allow_tools", rule);
    }
    for rule in &tools.disallow {
        problems.not_empty("disallow_tools", rule);
    }
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
    permissions(options, problems);
}

fn permissions(options: &Options, problems: &mut Problems) {
    let permissions = &options.permissions;
    problems.add_if(
        permissions.mode == Some(PermissionMode::BypassPermissions)
            && !permissions.allow_dangerously_skip,
        "the mode `bypassPermissions` without `allow_dangerously_skip_permissions(true)`; add it \
         if nothing is to be asked, or choose another mode",
    );
    for name in permissions.prompt_tool.iter() {
        problems.not_empty("permission_prompt_tool", name);
        problems.add_if(
            name == "stdio",
            "`stdio` as the permission prompt tool, which is the host itself; name an MCP tool",
        );
        problems.add_if(
            permissions.prompts == Some(PermissionPrompts::None),
            "a permission prompt tool together with `PermissionPrompts::None`, with which it is \
             never called; leave one of the two away",
        );
    }
    for directory in &permissions.directories {
        problems.not_empty("add_dir", directory);
    }
    for kind in &permissions.dialog_kinds {
        problems.not_empty("supported_dialog_kinds", kind);
    }
}
