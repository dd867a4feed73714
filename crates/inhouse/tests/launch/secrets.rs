use inhouse::Options;
use inhouse::launch::HostEnvironment;
use inhouse::options::{AgentDefinition, McpServer, Settings, SystemPrompt};
use serde_json::json;

use super::{arguments, plan, plan_on};

/// A text that must not appear in arguments, errors and `Debug`.
const SECRET: &str = "hunter2";

fn with_secrets() -> Options {
    Options::new()
        .system_prompt(SystemPrompt::preset().append(SECRET))
        .plan_mode_instructions(SECRET)
        .title(SECRET)
        .agents([("a", AgentDefinition::new("d", SECRET))])
        .env("TOKEN", SECRET)
        .settings(json!({"env": {"TOKEN": SECRET}}))
        .managed_settings(json!({"env": {"TOKEN": SECRET}}))
        .extra_arg("workload", Some(SECRET))
        .mcp_server(
            "p",
            McpServer::stdio("npx").args([SECRET]).env("TOKEN", SECRET),
        )
        .mcp_server(
            "s",
            McpServer::http(format!("https://x/?t={SECRET}")).header("K", SECRET),
        )
}

/// `extra_arg` is excluded: its values are passed as they are.
#[test]
fn secrets_are_not_in_the_arguments() {
    let stdio = McpServer::stdio("npx").env("TOKEN", SECRET);
    let query = McpServer::http(format!("https://x/?t={SECRET}"));
    let oauth = McpServer::http("https://x").extra("oauth", json!({"clientSecret": SECRET}));
    let helper = McpServer::http("https://x").extra("headersHelper", format!("echo {SECRET}"));
    let hook = json!({"type": "http", "url": "https://x", "headers": {"K": SECRET}});
    for options in [
        Options::new().settings(json!({"env": {"TOKEN": SECRET}})),
        Options::new().settings(json!({"apiKeyHelper": format!("echo {SECRET}")})),
        Options::new().settings(json!({"hooks": {"Stop": [{"hooks": [hook]}]}})),
        Options::new().managed_settings(json!({"env": {"TOKEN": SECRET}})),
        Options::new().mcp_server("s", stdio),
        Options::new().mcp_server("s", query),
        Options::new().mcp_server("s", oauth),
        Options::new().mcp_server("s", helper),
        Options::new().mcp_server("s", McpServer::sse("https://x").header("K", SECRET)),
        Options::new().agents([("a", AgentDefinition::new("d", SECRET))]),
        Options::new().env("TOKEN", SECRET),
    ] {
        let arguments = arguments(&plan(&options));
        assert!(!arguments.concat().contains(SECRET), "{arguments:?}");
    }
}

#[test]
fn debug_shows_no_prompt_and_no_secret() {
    let options = with_secrets();
    let shown = format!("{options:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    // Names are shown.
    for seen in ["TOKEN", "npx", "workload"] {
        assert!(shown.contains(seen), "{seen} in {shown}");
    }
    for prompt in [
        SystemPrompt::text(SECRET),
        SystemPrompt::sections([SECRET]).dynamic([SECRET]),
    ] {
        assert!(!format!("{prompt:?}").contains(SECRET));
    }
    assert!(!format!("{:?}", Settings::json(SECRET)).contains(SECRET));
}

#[test]
fn debug_of_a_plan_shows_flags_without_values() {
    let host = HostEnvironment::from_iter([("HOST_TOKEN", SECRET)]);
    let plan = plan_on(&with_secrets(), &host);
    let shown = format!("{plan:?} {host:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    for seen in ["--settings=…", "TOKEN", "HOST_TOKEN"] {
        assert!(shown.contains(seen), "{seen} in {shown}");
    }
}

#[test]
fn errors_do_not_quote_values() {
    let wrong = with_secrets()
        .max_turns(0)
        .env("NUL", format!("{SECRET}\0"));
    let error = super::refusal(&wrong);
    assert!(!format!("{error} {error:?}").contains(SECRET));

    let broken = format!("{{\"env\": {SECRET}}}");
    let error = super::refusal(&Options::new().settings(broken));
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
}
