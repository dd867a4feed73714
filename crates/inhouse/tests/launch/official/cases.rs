//! The options of the recorded cases; `record.mjs` and `record.py` have the same.

use std::time::Duration;

use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
use inhouse::options::{
    AgentDefinition, Effort, McpServer, PermissionMode, SandboxNetwork, SandboxSettings,
    SettingSource, Settings, Skills, SystemPrompt, Thinking, ThinkingDisplay, ToolSet,
};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Input, Tool, ToolServer};
use inhouse::{Asked, Options};
use serde_json::{Value, json};

const SESSION: &str = "6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46";
const OTHER: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";

pub(super) fn all() -> Vec<(&'static str, Options)> {
    let new = Options::new;
    vec![
        ("default", new()),
        ("model", model()),
        ("thinking_adaptive", thinking_adaptive()),
        ("thinking_budget", new().thinking(Thinking::budget(2048))),
        ("thinking_disabled", new().thinking(Thinking::disabled())),
        ("prompt_text", new().system_prompt("Be terse.")),
        ("prompt_preset", new().system_prompt(SystemPrompt::preset())),
        (
            "prompt_append",
            new().system_prompt(SystemPrompt::preset().append("Prefer Rust.")),
        ),
        (
            "tools",
            new()
                .tools(["Bash", "Read"])
                .allow_tools(["Read", "Bash(git log:*)"])
                .disallow_tools(["WebFetch", "Bash(rm *)"]),
        ),
        ("tools_preset", new().tools(ToolSet::preset())),
        ("tools_none", new().tools(ToolSet::none())),
        (
            "permission_mode",
            new().permission_mode(PermissionMode::Plan),
        ),
        (
            "permission_handler",
            new().permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow())),
        ),
        (
            "permission_tool",
            new().permission_prompt_tool("mcp__guard__ask"),
        ),
        (
            "directories",
            new().add_dir("/srv/data").add_dir("/srv/more"),
        ),
        ("sandbox", sandbox()),
        ("mcp_stdio", mcp_stdio()),
        ("mcp_secret", mcp_secret()),
        ("mcp_in_process", new().tool_server(calculator())),
        ("hooks", hooks()),
        ("agents", agents()),
        (
            "skills",
            new()
                .skills(Skills::only(["pdf", "docs:write"]))
                .setting_sources([SettingSource::User, SettingSource::Project]),
        ),
        ("plugins", new().plugin("/srv/plugins/a")),
        ("session_id", new().session_id(OTHER)),
        ("resume", new().resume(SESSION)),
        ("continue", new().continue_latest()),
        (
            "fork",
            new().resume(SESSION).fork_session(true).session_id(OTHER),
        ),
        (
            "settings_text",
            new().settings(r#"{"permissions":{"deny":["WebFetch"]}}"#),
        ),
        (
            "settings_secret",
            new().settings(r#"{"env":{"TOKEN":"hunter2"}}"#),
        ),
        (
            "settings_file",
            new().settings(Settings::file("/srv/settings.json")),
        ),
        ("setting_sources", new().setting_sources([])),
        (
            "stream",
            new()
                .include_partial_messages(true)
                .include_hook_events(true)
                .forward_subagent_text(true),
        ),
        ("output_format", output_format()),
        ("checkpoints", new().file_checkpointing(true)),
        ("env", new().env("RUST_LOG", "debug")),
        ("cwd", new().cwd("/")),
        (
            "extra_args",
            new()
                .extra_arg("replay-user-messages", None::<&str>)
                .extra_arg("workload", Some("night")),
        ),
        ("verbatim", new().verbatim_prompts(true)),
        ("nested", new()),
    ]
}

fn calculator() -> ToolServer {
    let number = json!({"type": "number"});
    let schema = json!({
        "type": "object",
        "properties": {"a": number, "b": number},
        "required": ["a", "b"],
    });
    let sum = async |Input(arguments): Input<Value>| {
        let [a, b] = ["a", "b"].map(|name| arguments[name].as_f64().unwrap_or_default());
        (a + b).to_string()
    };
    let add = Tool::with_schema("add", "Adds two numbers.", schema, sum);
    ToolServer::new("calc").version("1.0.0").tool(add)
}

fn model() -> Options {
    Options::new()
        .model("opus")
        .fallback_model("sonnet")
        .max_turns(3)
        .max_budget_usd(0.5)
        .task_budget(100_000)
        .beta("context-1m-2025-08-07")
}

fn thinking_adaptive() -> Options {
    Options::new()
        .thinking(Thinking::adaptive().display(ThinkingDisplay::Summarized))
        .effort(Effort::High)
}

fn sandbox() -> Options {
    Options::new().sandbox(
        SandboxSettings::enabled()
            .auto_allow_bash(true)
            .network(SandboxNetwork::new().allow_local_binding(true)),
    )
}

fn mcp_stdio() -> Options {
    let server = McpServer::stdio("npx").args(["@playwright/mcp"]);
    Options::new()
        .mcp_server("browser", server)
        .strict_mcp_config(true)
}

fn mcp_secret() -> Options {
    let server = McpServer::http("https://mcp.example/crm").header("X-Key", "k");
    Options::new().mcp_server("crm", server)
}

fn hooks() -> Options {
    Options::new().hook(
        Matcher::tool("Bash").timeout(Duration::from_secs(30)),
        async |_: PreToolUse, _: HookContext| Ok(HookOutput::pass()),
    )
}

fn agents() -> Options {
    let reviewer = AgentDefinition::new("Reviews changes", "You review.").tools(["Read"]);
    Options::new().agents([("reviewer", reviewer)])
}

fn output_format() -> Options {
    Options::new().json_schema(json!({
        "type": "object",
        "properties": {"accepted": {"type": "boolean"}},
        "required": ["accepted"],
    }))
}
