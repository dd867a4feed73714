use std::time::Duration;

use inhouse::Options;
use inhouse::options::{
    McpServer, PermissionMode, PermissionPrompts, SandboxSettings, Settings, Skills, SystemPrompt,
    Thinking, ThinkingDisplay, ToolPermissionPolicy, ToolPolicy,
};
use serde_json::json;

use super::refusal;

const ID: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";

fn options() -> Options {
    Options::new()
}

/// Returns invalid options, and a part of the error text.
fn table() -> Vec<(Options, &'static str)> {
    let stdio = || McpServer::stdio("npx");
    let policy = ToolPolicy::new("x", ToolPermissionPolicy::AlwaysAsk);
    vec![
        (options().model(""), "empty value for `model`"),
        (
            options().model("opus").fallback_model("opus"),
            "fallback model `opus` is the main model",
        ),
        (
            options().fallback_model(""),
            "empty value for `fallback_model`",
        ),
        (options().beta(""), "empty value for `beta`"),
        (options().record(""), "empty value for `record`"),
        (
            options().os_user_named("nosuchuser"),
            if cfg!(unix) {
                "the system has no user `nosuchuser`"
            } else {
                "without numeric user ids"
            },
        ),
        (
            options().thinking(Thinking::budget(0)),
            "use `Thinking::disabled()`",
        ),
        (
            options().thinking(Thinking::disabled().display(ThinkingDisplay::Omitted)),
            "for disabled thinking",
        ),
        (options().max_turns(0), "`max_turns` is 0"),
        (
            options().max_budget_usd(f64::NAN),
            "`max_budget_usd` is NaN",
        ),
        (
            options().max_budget_usd(f64::INFINITY),
            "`max_budget_usd` is inf",
        ),
        (options().max_budget_usd(-0.5), "`max_budget_usd` is -0.5"),
        (options().max_budget_usd(0.0), "must be a number above 0"),
        (options().task_budget(0), "`task_budget` is 0"),
        (options().max_line_bytes(0), "`max_line_bytes` is 0"),
        (
            options().json_schema("text"),
            "not a JSON object; pass a JSON Schema",
        ),
        (
            options().json_schema(json!({"type": "array"})),
            "wrap it in an object",
        ),
        (options().output::<Vec<String>>(), "not of type `object`"),
        (
            options().system_prompt(SystemPrompt::text("x").append("y")),
            "put the text into the prompt itself",
        ),
        (
            options().system_prompt(SystemPrompt::text("x").exclude_dynamic_sections(true)),
            "`exclude_dynamic_sections` without the preset",
        ),
        (
            options().system_prompt(SystemPrompt::preset().dynamic(["x"])),
            "use `SystemPrompt::sections`",
        ),
        (
            options().system_prompt(SystemPrompt::file("")),
            "`SystemPrompt::file`",
        ),
        (options().agent(""), "empty value for `agent`"),
        (options().tools([""]), "empty value for `tools`"),
        (options().allow_tools([""]), "empty value for `allow_tools`"),
        (
            options().disallow_tools([""]),
            "empty value for `disallow_tools`",
        ),
        (
            options().tool_alias("Bash", ""),
            "tool alias with an empty name",
        ),
        (options().add_dir(""), "empty value for `add_dir`"),
        (
            options().permission_mode(PermissionMode::BypassPermissions),
            "without `allow_dangerously_skip_permissions(true)`",
        ),
        (
            options().permission_prompt_tool("stdio"),
            "name an MCP tool",
        ),
        (
            options()
                .permission_prompt_tool("mcp__a__b")
                .permission_prompts(PermissionPrompts::None),
            "never calls it",
        ),
        (
            options().mcp_server("a", stdio()).mcp_server("a", stdio()),
            "two MCP servers with the name `a`",
        ),
        (
            options().mcp_server("", stdio()),
            "empty value for `mcp_server`",
        ),
        (
            options().mcp_server("a", McpServer::stdio("")),
            "`a` has no command",
        ),
        (
            options().mcp_server("a", McpServer::http("mcp.example")),
            "http:// or https://",
        ),
        (
            options().mcp_server("a", stdio().header("k", "v")),
            "has no headers",
        ),
        (
            options().mcp_server("a", stdio().tool_policy(policy)),
            "use `disallow_tools`",
        ),
        (
            options().mcp_server("a", McpServer::sse("http://x").args(["y"])),
            "neither arguments nor environment",
        ),
        (
            options().mcp_server("a", stdio().timeout(Duration::from_millis(999))),
            "timeout below 1 s",
        ),
        (
            options().mcp_config_file(""),
            "empty value for `mcp_config_file`",
        ),
        (options().plugin(""), "empty value for `plugin`"),
        (options().resume(ID).continue_latest(), "choose one of them"),
        (options().resume(""), "empty value for `resume`"),
        (
            options().session_id("nope"),
            r#"session id "nope" is not a UUID"#,
        ),
        (
            options().session_id("0b9c6f6e7a464f0c9d5e3f6f1f1c2a11"),
            "is not a UUID",
        ),
        (
            options().session_id(ID).resume(ID),
            "add `fork_session(true)`",
        ),
        (
            options().session_id(ID).continue_latest(),
            "add `fork_session(true)`",
        ),
        (options().fork_session(true), "without a session to fork"),
        (options().resume_at(ID), "`resume_at` without `resume`"),
        (
            options().continue_latest().resume_at(ID),
            "`resume_at` without `resume`",
        ),
        (
            options().resume(ID).resume_drops_turn(ID),
            "`resume_drops_turn` without `resume_at`",
        ),
        (
            options().settings(json!([])),
            "settings are not a JSON object",
        ),
        (options().settings("{,}"), "(line 1, column 2)"),
        (
            options().settings(Settings::json("[]")),
            "not the text of a JSON object",
        ),
        (options().settings(""), "empty value for `settings`"),
        (
            options()
                .settings(json!({"sandbox": true}))
                .sandbox(SandboxSettings::enabled()),
            "`sandbox` of the settings is not an object",
        ),
        (
            options().managed_settings(1),
            "managed settings are not a JSON object",
        ),
        (
            options().project_config_root("here"),
            "not an absolute path",
        ),
        (options().env("A=B", "c"), r#"variable "A=B" contains `=`"#),
        (options().env("", "c"), "is empty"),
        (options().env_remove("A\0"), "contains a NUL"),
        (options().env("A", "b\0"), "the variable A contains a NUL"),
        (options().model("a\0"), "--model contains a NUL"),
        (options().cwd("a\0"), "the working directory contains a NUL"),
        (options().cwd(""), "empty value for `cwd`"),
        (options().cli_path(""), "empty value for `cli_path`"),
        (options().debug_file(""), "empty value for `debug_file`"),
        (options().client_app(""), "empty value for `client_app`"),
        (options().runtime("", ["x"]), "empty value for `runtime`"),
        (
            options().extra_arg("--bare", None::<&str>),
            "without leading dashes",
        ),
        (
            options().extra_arg("a=b", None::<&str>),
            "is not the name of a flag",
        ),
        (
            options().extra_arg("", None::<&str>),
            "is not the name of a flag",
        ),
        (
            options().extra_arg("print", None::<&str>),
            "would change the protocol",
        ),
        (
            options().extra_arg("output-format", Some("text")),
            "would change the protocol",
        ),
        (
            options().model("a").extra_arg("model", Some("b")),
            "also set by an option",
        ),
        (
            options().allow_tools(["x".repeat(128 * 1024)]),
            "--allowedTools is too long to be passed",
        ),
    ]
}

#[test]
fn invalid_options_are_rejected_with_a_reason() {
    for (options, words) in table() {
        let text = refusal(&options).to_string();
        assert!(text.contains(words), "expected {words:?} in {text:?}");
        assert!(
            !text.contains("problems"),
            "more than one problem: {text:?}"
        );
    }
}

#[test]
fn invalid_skill_names_are_rejected() {
    let bad = [
        "",
        " a",
        "a ",
        "a(b",
        "a)",
        "a,b",
        "a\tb",
        "a\u{feff}",
        "*",
        "a:*",
        "a *",
        "/a",
        r"a\\b",
        r"a\",
    ];
    for name in bad {
        let text = refusal(&options().skills(Skills::only([name]))).to_string();
        assert!(text.contains(&format!("the skill name {name:?}")), "{text}");
    }
    super::plan(&options().skills(Skills::only([
        "pdf",
        "plugin:skill",
        r"a\b",
        "two words",
        "a*",
    ])));
}

#[test]
fn all_problems_are_reported_at_once() {
    let wrong = options().max_turns(0).session_id("x").env("", "");
    let text = refusal(&wrong).to_string();
    assert!(
        text.starts_with("3 problems with the options:\n- "),
        "{text}"
    );
    for words in ["`max_turns` is 0", "is not a UUID", "is empty"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn repeatable_flags_may_be_added_to_options() {
    let twice = options().add_dir("/a").extra_arg("add-dir", Some("/b"));
    let arguments = super::arguments(&super::plan(&twice));
    assert_eq!(arguments[3..], ["--add-dir=/a", "--add-dir=/b"]);
}
