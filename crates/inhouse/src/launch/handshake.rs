use inhouse_proto::control::outgoing::{self, Initialize};

use crate::options::{Options, Plugin, PluginDelivery, PromptBase, SkillChoice};

/// Splits what is cached across sessions from what is not.
const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The request that opens the conversation.
pub(super) fn initialize(options: &Options) -> Initialize {
    let mut request = Initialize::new();
    system_prompt(options, &mut request);
    let plan_mode = options.prompt.plan_mode_instructions.as_ref();
    request.plan_mode_instructions = plan_mode.map(|text| text.0.clone());
    let agents = options.agents.definitions.iter();
    request.agents = agents
        .map(|(name, agent)| (name.clone(), agent.0.clone()))
        .collect();
    if let Some(SkillChoice::Only(names)) = options.agents.skills.as_ref().map(|skills| &skills.0) {
        request.skills = Some(names.clone());
    }
    request.title = options.session.title.as_ref().map(|title| title.0.clone());
    request.tool_aliases = options.tools.aliases.clone();
    request.prompt_suggestions = options.stream.prompt_suggestions;
    request.agent_progress_summaries = options.stream.agent_progress_summaries;
    request.forward_subagent_text = options.stream.subagent_text.then_some(true);
    let dialogs = &options.ask.dialogs;
    request.supported_dialog_kinds =
        (!dialogs.is_empty()).then(|| dialogs.keys().cloned().collect());
    request.per_task_stop_affordance = options.permissions.per_task_stop;
    let plugins = &options.plugins;
    if plugins.delivery == PluginDelivery::Initialize && !plugins.plugins.is_empty() {
        request.plugins = Some(plugins.plugins.iter().map(plugin).collect());
    }
    options.hooks.register(request)
}

fn system_prompt(options: &Options, request: &mut Initialize) {
    let prompt = &options.prompt.system;
    if let PromptBase::Sections(stable) = &prompt.base {
        let mut sections = stable.clone();
        if !prompt.dynamic.is_empty() {
            sections.push(DYNAMIC_BOUNDARY.to_owned());
            sections.extend(prompt.dynamic.iter().cloned());
        }
        request.system_prompt = Some(sections);
    }
    request.append_system_prompt = prompt.append.clone();
    request.exclude_dynamic_sections = prompt.exclude_dynamic_sections;
    request.system_prompt_snapshot = prompt.snapshot;
}

fn plugin(plugin: &Plugin) -> outgoing::Plugin {
    let sent = outgoing::Plugin::local(&plugin.path);
    if plugin.skip_mcp_discovery {
        sent.skip_mcp_discovery()
    } else {
        sent
    }
}
