use std::time::Duration;

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
use inhouse::hook::{HookContext, HookOutput, InstructionsLoaded, Matcher, OnFailure, PreToolUse};
use inhouse::launch::{CommandLine, HostEnvironment};
use inhouse::options::{
    AgentDefinition, Backlog, CredentialMode, Effort, McpServer, PermissionMode, PermissionPrompts,
    Plugin, PluginDelivery, QuestionPreview, SandboxCredentials, SandboxFilesystem, SandboxNetwork,
    SandboxSettings, SettingSource, Settings, ShutdownTiming, Skills, StoreFlush, SystemPrompt,
    Thinking, ThinkingDisplay, ToolPermissionPolicy, ToolPolicy, ToolSet,
};
use inhouse::permission::{CanUseTool, Decision, Policy};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::sessions::SessionLease;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Asked, Options};
use inhouse_store::memory::MemoryStore;
use serde_json::{Value, json};

/// Options with the plan in the golden file of the same name.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) options: Options,
    pub(crate) program: &'static str,
    pub(crate) host: HostEnvironment,
}

pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![
        case("nothing", Options::new()),
        case("model", model()),
        case(
            "thinking_budget",
            Options::new().thinking(Thinking::budget(2048)),
        ),
        case(
            "thinking_disabled",
            Options::new().thinking(Thinking::disabled()),
        ),
        case("output_type", Options::new().output::<Verdict>()),
        case(
            "output_schema",
            Options::new().json_schema(json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
            })),
        ),
        case(
            "prompt_text",
            Options::new()
                .system_prompt("Be terse.")
                .verbatim_prompts(true),
        ),
        case("prompt_preset", preset()),
        case(
            "prompt_sections",
            Options::new().system_prompt(
                SystemPrompt::sections(["Who you are.", "What you do."]).dynamic(["Who asks."]),
            ),
        ),
        case(
            "prompt_file",
            Options::new()
                .system_prompt(SystemPrompt::file("/srv/prompt.md").append("And be kind.")),
        ),
        case("agents", agents()),
        case("skills_all", Options::new().skills(Skills::all())),
        case("skills_none", Options::new().skills(Skills::none())),
        case("tools", tools()),
        case("tools_preset", Options::new().tools(ToolSet::preset())),
        case("tools_none", Options::new().tools(ToolSet::none())),
        case("permissions", permissions()),
        case("permission_handlers", permission_handlers()),
        case("policy", policy()),
        case(
            "permissions_bypass",
            Options::new()
                .permission_mode(PermissionMode::BypassPermissions)
                .allow_dangerously_skip_permissions(true)
                .permission_prompts(PermissionPrompts::None),
        ),
        case("sandbox", sandbox()),
        case("mcp", mcp()),
        case("mcp_in_process", mcp_in_process()),
        case("hooks", hooks()),
        case(
            "hooks_at_the_start",
            Options::new().hook(
                Matcher::any(),
                async |_: InstructionsLoaded, _: HookContext| Ok(HookOutput::pass()),
            ),
        ),
        case(
            "hooks_resumed",
            hooks()
                .tool_server(ToolServer::<()>::new("calc"))
                .resume("6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46"),
        ),
        case("plugins_argv", plugins()),
        case(
            "plugins_initialize",
            plugins().plugin_delivery(PluginDelivery::Initialize),
        ),
        case(
            "session_new",
            Options::new()
                .session_id("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11")
                .title("Port scan")
                .persist_session(false)
                .file_checkpointing(true),
        ),
        case("session_latest", Options::new().continue_latest()),
        case(
            "session_fork",
            Options::new()
                .resume("6f6f1f1c-2a11-4f0c-9d5e-0b9c6f6e7a46")
                .fork_session(true)
                .session_id("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11")
                .resume_at("11111111-2222-4333-8444-555555555555")
                .resume_drops_turn("66666666-7777-4888-9999-000000000000"),
        ),
        case(
            "session_store",
            Options::new()
                .store(MemoryStore::new())
                .store_flush(StoreFlush::EndOfTurn)
                .load_timeout(Duration::from_secs(10))
                .lease_ttl(Duration::from_secs(10))
                .session_lease(&lease())
                .before_result(async || Ok(()))
                .session_root("/var/lib/agents"),
        ),
        case("settings", settings()),
        case(
            "settings_file",
            Options::new()
                .settings("agent-settings.json")
                .setting_sources([]),
        ),
        case(
            "settings_and_sandbox",
            Options::new()
                .settings(Settings::json(
                    r#"{"model": "opus", "sandbox": {"network": {"deniedDomains": ["a"]}}}"#,
                ))
                .sandbox(
                    SandboxSettings::enabled().network(SandboxNetwork::new().deny_domains(["b"])),
                ),
        ),
        case("stream", stream()),
        case("process", process()),
        case(
            "wrapped",
            Options::new().cwd("/srv").wrap_command(|cli| {
                let mut docker = CommandLine::new("docker").args(["exec", "-i", "box"]);
                docker.args.push(cli.program);
                docker.args.extend(cli.args);
                docker
            }),
        ),
        case(
            "runtime",
            Options::new()
                .cli_path("cli.bundle")
                .runtime("bun", ["--smol"]),
        ),
        case("environment", environment()),
        case("environment_clean", environment().clean_env()),
        case("timing", timing()),
    ];
    cases.push(Case {
        program: "/opt/claude/cli.js",
        ..case("script", Options::new())
    });
    let nested = [
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
        ("Claude_Code_SDK_Reads_Session_State", "0"),
        ("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", "1500"),
    ];
    cases.push(Case {
        host: nested.into_iter().collect(),
        ..case("nested", Options::new())
    });
    cases
}

fn case(name: &'static str, options: Options) -> Case {
    Case {
        name,
        options,
        program: "claude",
        host: HostEnvironment::default(),
    }
}

#[derive(schemars::JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Verdict {
    /// Whether the change may go in.
    accepted: bool,
    score: u8,
}

fn model() -> Options {
    Options::new()
        .model("opus")
        .fallback_model("sonnet")
        .fallback_model("haiku")
        .thinking(Thinking::adaptive().display(ThinkingDisplay::Summarized))
        .effort(Effort::Xhigh)
        .beta("context-1m-2025-08-07")
        .beta("another-beta")
        .max_turns(3)
        .max_budget_usd(0.5)
        .task_budget(100_000)
}

fn preset() -> Options {
    let prompt = SystemPrompt::preset()
        .append("Prefer Rust.")
        .exclude_dynamic_sections(true)
        .snapshot(false);
    Options::new()
        .system_prompt(prompt)
        .plan_mode_instructions("Plan in three steps.")
}

fn agents() -> Options {
    let reviewer = AgentDefinition::new("Reviews changes", "You review.").tools(["Read"]);
    Options::new()
        .agents([("reviewer", reviewer)])
        .agent("reviewer")
        .skills(Skills::only(["pdf", "docs:write"]))
        .allow_tools(["Skill(pdf)"])
}

fn tools() -> Options {
    Options::new()
        .tools(["Bash", "Read"])
        .allow_tools(["Read", "Bash(git log:*)", "mcp__calc__add"])
        .disallow_tools(["WebFetch", "Bash(rm *)"])
        .tool_alias("Shell", "Bash")
        .question_preview(QuestionPreview::Html)
}

fn permissions() -> Options {
    Options::new()
        .permission_mode(PermissionMode::Plan)
        .permission_prompt_tool("mcp__guard__ask")
        .permission_prompts(PermissionPrompts::Host)
        .add_dir("/srv/data")
        .add_dir("-odd")
        .per_task_stop(true)
}

fn permission_handlers() -> Options {
    Options::new()
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()))
        .permission_timeout(Duration::from_secs(30))
        .on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()))
        .on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve()))
        .on_elicitation(async |_: Asked<ElicitationRequest>| Ok(ElicitationAnswer::Decline))
        .on_dialog("sign_in", async |_: Asked<DialogRequest>| {
            Ok(DialogAnswer::Cancelled)
        })
}

fn policy() -> Options {
    let policy = Policy::new()
        .allow("mcp__calc")
        .allow("Read(src/**)")
        .deny("Bash(rm *)")
        .ask("Bash(echo (a) b, c)");
    let settings = json!({"model": "opus", "permissions": {"deny": ["WebFetch"]}});
    Options::new().settings(settings).permissions(policy)
}

fn sandbox() -> Options {
    Options::new().sandbox(
        SandboxSettings::enabled()
            .fail_if_unavailable(false)
            .auto_allow_bash(true)
            .allow_unsandboxed_commands(false)
            .exclude_commands(["docker"])
            .ignore_violations("*", ["/proc"])
            .enable_weaker_nested_sandbox(true)
            .extra("bwrapPath", "/usr/bin/bwrap")
            .network(
                SandboxNetwork::new()
                    .allow_domains(["crates.io"])
                    .deny_domains(["example.com"])
                    .strict_allowlist(true)
                    .allow_unix_sockets(["/run/db.sock"])
                    .allow_all_unix_sockets(false)
                    .allow_local_binding(true)
                    .http_proxy_port(8080)
                    .socks_proxy_port(1080),
            )
            .filesystem(
                SandboxFilesystem::new()
                    .allow_write(["/var/cache"])
                    .deny_write(["/srv"])
                    .deny_read(["/etc"])
                    .allow_read(["/etc/ssl"]),
            )
            .credentials(
                SandboxCredentials::new()
                    .file("/home/me/.netrc", CredentialMode::Deny)
                    .env_var("API_TOKEN", CredentialMode::Mask),
            ),
    )
}

fn mcp() -> Options {
    Options::new()
        .mcp_server(
            "browser",
            McpServer::stdio("npx")
                .args(["@playwright/mcp", "--headless"])
                .env("DISPLAY", ":0")
                .timeout(Duration::from_secs(30)),
        )
        .mcp_server(
            "crm",
            McpServer::http("https://mcp.example/crm")
                .header("X-Key", "k")
                .always_load(true)
                .tool_policy(ToolPolicy::new("erase", ToolPermissionPolicy::AlwaysDeny)),
        )
        .mcp_server(
            "old",
            McpServer::sse("http://127.0.0.1:1/sse").extra("oauth", json!({})),
        )
        .mcp_config_file("/srv/mcp.json")
        .strict_mcp_config(true)
}

/// The plan has no in-process servers: the session adds them to `initialize`.
fn mcp_in_process() -> Options {
    let calc = || ToolServer::new("calc").tool(Tool::new("pi", "A number", async || 3));
    let options = Options::new()
        .tool_server(calc())
        .tool_server_as("sums", calc());
    #[cfg(feature = "rmcp")]
    let options = options.rmcp_server("notes", move || {
        let handler = calc().into_rmcp();
        handler.expect("the tools are valid")
    });
    options
}

fn plugins() -> Options {
    Options::new()
        .plugin("/srv/plugins/a")
        .plugin(Plugin::local("/srv/plugins/b").skip_mcp_discovery(true))
}

fn settings() -> Options {
    Options::new()
        .settings(json!({"permissions": {"deny": ["WebFetch"]}}))
        .managed_settings(json!({"permissions": {"deny": ["Bash"]}}))
        .setting_sources([
            SettingSource::User,
            SettingSource::Project,
            SettingSource::Local,
        ])
        .project_config_root("/srv/checkout")
}

fn stream() -> Options {
    Options::new()
        // The CLI does not know that it is recorded.
        .record("trace.jsonl")
        .include_partial_messages(true)
        .include_hook_events(true)
        .forward_subagent_text(true)
        .replay_user_messages(true)
        .prompt_suggestions(true)
        .agent_progress_summaries(false)
        .max_line_bytes(1024)
        .backlog(Backlog::bytes(4096))
}

fn process() -> Options {
    Options::new()
        .cwd("/srv/work")
        .cli_path("/opt/claude")
        .extra_arg("bare", None::<&str>)
        .extra_arg("workload", Some("-odd"))
        .client_app("my-app/1.0")
        .os_user_named("root")
        .os_user(1000, 1001)
        .stderr(|_| {})
        .on_request("oauth_token_refresh", async |_: Value| {
            Ok::<_, String>(json!({}))
        })
        .debug()
        .debug_file("/tmp/claude.log")
}

fn environment() -> Options {
    Options::new()
        .cwd("relative/directory")
        .env("RUST_LOG", "debug")
        .envs([("CLAUDE_CODE_ENTRYPOINT", "my-host"), ("EMPTY", "")])
        .env_remove("SECRET")
        .env_remove("CLAUDE_AGENT_SDK_VERSION")
}

fn hooks() -> Options {
    Options::new()
        .hook(
            Matcher::tool("Bash")
                .timeout(Duration::from_millis(1500))
                .on_failure(OnFailure::Block),
            async |_: PreToolUse, _: HookContext| Ok(HookOutput::pass()),
        )
        .raw_hook("Coffee", Matcher::any(), async |_, _| Ok(json!({})))
}

fn timing() -> Options {
    Options::new()
        .control_timeout(Duration::from_secs(5))
        .connect_timeout(Duration::from_secs(90))
        .background_ceiling(Duration::ZERO)
        .shutdown(
            ShutdownTiming::default()
                .grace(Duration::from_secs(1))
                .term(Duration::from_millis(200)),
        )
        .backlog(Backlog::unbounded())
}

/// Acquires a lease, on a separate thread because the caller may run on a runtime.
fn lease() -> SessionLease {
    let acquire = || {
        let options = Options::new().store(MemoryStore::new());
        inhouse_testkit::run(async {
            SessionLease::acquire(&options, "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11").await
        })
    };
    let lease = std::thread::spawn(acquire).join();
    lease
        .expect("nothing panics")
        .expect("no other host has the session")
}
