use super::Problems;
use crate::options::{Options, PermissionMode, PermissionPrompts};

/// Who is asked about tool calls, and what they may reach.
pub(super) fn check(options: &Options, problems: &mut Problems) {
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
    handlers(options, problems);
}

fn handlers(options: &Options, problems: &mut Problems) {
    let (permissions, ask) = (&options.permissions, &options.ask);
    if ask.decide_tool_calls() {
        problems.add_if(
            permissions.prompt_tool.is_some(),
            "`permission_prompt_tool` together with a handler (`permissions`, `on_question` or \
             `on_plan`); only one of them can be asked, so leave the other away",
        );
        problems.add_if(
            permissions.prompts == Some(PermissionPrompts::None),
            "a handler (`permissions`, `on_question` or `on_plan`) together with \
             `PermissionPrompts::None`, with which it is never asked; leave one of the two away",
        );
    }
    if ask.timeout.is_some_and(|timeout| timeout.is_zero()) {
        problems.add("`permission_timeout` is 0, so that everything is denied; leave it away");
    }
    for policy in ask.policy.iter() {
        for problem in policy.problems() {
            problems.add(problem);
        }
    }
    for kind in ask.dialogs.keys() {
        problems.not_empty("on_dialog", kind);
    }
}
