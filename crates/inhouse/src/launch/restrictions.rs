use crate::options::{Options, SkillChoice};

/// Returns whether the options restrict what the session may do, or have the CLI ask the host first.
///
/// Such a session must not begin to work before the CLI has confirmed `initialize`.
pub(super) fn are_set(options: &Options) -> bool {
    let Options {
        agents,
        tools,
        permissions,
        ask,
        hooks,
        settings,
        requests,
        ..
    } = options;
    let has_handlers = ask.decide_tool_calls()
        || ask.elicitation.is_some()
        || !ask.dialogs.is_empty()
        || !hooks.is_empty()
        || requests.handlers.subtypes().next().is_some();
    let has_rules = permissions.mode.is_some()
        || permissions.prompt_tool.is_some()
        || permissions.prompts.is_some()
        || permissions.sandbox.is_some()
        || tools.set.is_some()
        || !tools.disallow.is_empty()
        || settings.settings.is_some()
        || settings.managed.is_some();
    let skills = agents.skills.as_ref().map(|skills| &skills.0);
    has_handlers || has_rules || matches!(skills, Some(SkillChoice::Only(_)))
}
