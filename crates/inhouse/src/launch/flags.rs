use inhouse_proto::hook::{HookEvent as _, InstructionsLoaded};

use super::argv::Argv;
use crate::options::{
    Effort, Options, PermissionMode, PermissionPrompts, PluginDelivery, PromptBase, SkillChoice,
    ThinkingDisplay, ThinkingMode, ToolChoice,
};

/// The flags whose values are short, theme by theme.
pub(super) fn push(options: &Options, argv: &mut Argv) {
    model(options, argv);
    tools(options, argv);
    permissions(options, argv);
    plugins(options, argv);
    session(options, argv);
    content(options, argv);
    if let PromptBase::File(path) = &options.prompt.system.base {
        argv.value("system-prompt-file", path);
    }
    argv.value_if("agent", options.agents.main.as_ref());
    match &options.process.debug_file {
        Some(path) => argv.value("debug-file", path),
        None => argv.switch_if(options.process.debug, "debug"),
    }
}

/// Flags for which there is no option; last, since the CLI takes the last of two.
pub(super) fn push_extra(options: &Options, argv: &mut Argv) {
    for (flag, value) in &options.process.extra_args {
        match value {
            Some(value) => argv.value(flag, &value.0),
            None => argv.switch(flag),
        }
    }
}

fn model(options: &Options, argv: &mut Argv) {
    let model = &options.model;
    argv.value_if("model", model.model.as_ref());
    if !model.fallbacks.is_empty() {
        argv.value("fallback-model", model.fallbacks.join(","));
    }
    if let Some(thinking) = &model.thinking {
        match thinking.mode {
            ThinkingMode::Adaptive => argv.value("thinking", "adaptive"),
            ThinkingMode::Budget(tokens) => argv.value("max-thinking-tokens", tokens.to_string()),
            ThinkingMode::Disabled => argv.value("thinking", "disabled"),
        }
        argv.value_if(
            "thinking-display",
            thinking.display.map(ThinkingDisplay::as_str),
        );
    }
    argv.value_if("effort", model.effort.as_ref().map(Effort::as_str));
    // One flag for each: the CLI (2.1.325) takes `a,b` for the name of a single beta.
    argv.values("betas", &model.betas);
    let limits = &options.limits;
    argv.value_if("max-turns", limits.max_turns.map(|turns| turns.to_string()));
    argv.value_if(
        "max-budget-usd",
        limits.max_budget_usd.map(|usd| usd.to_string()),
    );
    argv.value_if(
        "task-budget",
        limits.task_budget.map(|tokens| tokens.to_string()),
    );
}

fn tools(options: &Options, argv: &mut Argv) {
    let tools = &options.tools;
    match tools.set.as_ref().map(|set| &set.0) {
        Some(ToolChoice::Preset) => argv.value("tools", "default"),
        Some(ToolChoice::Only(names)) if names.is_empty() => argv.value("tools", ""),
        Some(ToolChoice::Only(names)) => argv.values("tools", names),
        None => {}
    }
    argv.values("allowedTools", allow_rules(options));
    argv.values("disallowedTools", &tools.disallow);
}

/// The rules of the option, and those that let the chosen skills run.
fn allow_rules(options: &Options) -> Vec<String> {
    let mut rules = options.tools.allow.clone();
    let skills = match options.agents.skills.as_ref().map(|skills| &skills.0) {
        Some(SkillChoice::All) => vec!["Skill".to_owned()],
        Some(SkillChoice::Only(names)) => {
            names.iter().map(|name| format!("Skill({name})")).collect()
        }
        None => Vec::new(),
    };
    for rule in skills {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

fn permissions(options: &Options, argv: &mut Argv) {
    let permissions = &options.permissions;
    argv.value_if(
        "permission-mode",
        permissions.mode.as_ref().map(PermissionMode::as_str),
    );
    argv.switch_if(
        permissions.allow_dangerously_skip,
        "allow-dangerously-skip-permissions",
    );
    match &permissions.prompt_tool {
        Some(tool) => argv.value("permission-prompt-tool", tool),
        // Only then: otherwise the CLI would ask a host that has no answer.
        None if options.ask.decide_tool_calls() => {
            argv.value("permission-prompt-tool", "stdio");
        }
        None => {}
    }
    argv.value_if(
        "permission-prompts",
        permissions.prompts.map(PermissionPrompts::as_str),
    );
    argv.values("add-dir", &permissions.directories);
}

fn plugins(options: &Options, argv: &mut Argv) {
    let plugins = &options.plugins;
    match plugins.delivery {
        PluginDelivery::Initialize => {
            argv.switch_if(!plugins.plugins.is_empty(), "await-initialize");
        }
        PluginDelivery::Argv => {
            for plugin in &plugins.plugins {
                let flag = if plugin.skip_mcp_discovery {
                    "plugin-dir-no-mcp"
                } else {
                    "plugin-dir"
                };
                argv.value(flag, &plugin.path);
            }
        }
    }
}

fn session(options: &Options, argv: &mut Argv) {
    let session = &options.session;
    argv.switch_if(session.continue_latest, "continue");
    argv.value_if("resume", session.resume.as_ref());
    // A call that was deferred goes on at once, and the first instructions are read at once: a CLI that
    // learns of its hooks a moment later calls none for these.
    let deferred = !options.hooks.is_empty() && session.resumes();
    if deferred || options.hooks.contain_event(InstructionsLoaded::NAME) {
        argv.switch_once("await-initialize");
    }
    argv.value_if("session-id", session.id.as_ref());
    argv.switch_if(session.fork, "fork-session");
    argv.value_if("resume-session-at", session.resume_at.as_ref());
    argv.value_if("resume-drops-turn", session.resume_drops_turn.as_ref());
    argv.switch_if(session.persist == Some(false), "no-session-persistence");
    let settings = &options.settings;
    if let Some(sources) = &settings.sources {
        let names: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
        argv.value("setting-sources", names.join(","));
    }
    argv.value_if("project-config-root", settings.project_config_root.as_ref());
}

fn content(options: &Options, argv: &mut Argv) {
    let stream = &options.stream;
    argv.switch_if(stream.partial_messages, "include-partial-messages");
    argv.switch_if(stream.hook_events, "include-hook-events");
    argv.switch_if(stream.replay_user_messages, "replay-user-messages");
    argv.switch_if(options.mcp.strict, "strict-mcp-config");
}
