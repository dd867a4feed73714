use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::plan::Builder;
use super::problems::Problems;
use crate::error::Result;
use crate::mcp::McpServers;
use crate::options::{McpServer, McpTransport, Options};

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    validate_servers(&options.mcp.servers, problems);
    problems.reject_empty_each("mcp_config_file", &options.mcp.config_files);
}

/// Validates servers that replace those of a running session.
///
/// # Errors
///
/// `Config` for invalid servers; the text lists all problems.
pub(crate) fn validate_mcp_servers(servers: &McpServers) -> Result<()> {
    let mut problems = Problems::default();
    validate_servers(servers, &mut problems);
    problems.into_result()
}

fn validate_servers(servers: &McpServers, problems: &mut Problems) {
    let mut names = BTreeSet::new();
    for (name, server) in &servers.external {
        problems.reject_empty("mcp_server", name);
        problems.add_if(
            !names.insert(name),
            format!("two MCP servers with the name `{name}`; rename one of them"),
        );
        validate_server(name, server, problems);
    }
    for (key, server) in &servers.in_process {
        problems.reject_empty("tool_server", key);
        problems.add_if(
            !names.insert(key),
            format!("two MCP servers with the name `{key}`; use `tool_server_as` for one of them"),
        );
        for problem in server.problems() {
            problems.add(format!("the MCP server `{key}`: {problem}"));
        }
    }
}

fn validate_server(name: &str, server: &McpServer, problems: &mut Problems) {
    match &server.transport {
        McpTransport::Stdio { command } => {
            problems.add_if(
                command.is_empty(),
                format!("the MCP server `{name}` has no command; name its program"),
            );
            problems.add_if(
                !server.headers.is_empty(),
                format!("the MCP server `{name}` is a program and has no headers; use `env`"),
            );
            problems.add_if(
                !server.tools.is_empty(),
                format!(
                    "the MCP server `{name}` is a program, for which the CLI has no tool \
                     policies; use `disallow_tools`"
                ),
            );
        }
        McpTransport::Remote { url, .. } => {
            problems.add_if(
                !(url.starts_with("http://") || url.starts_with("https://")),
                format!("the MCP server `{name}` needs a URL that starts with http:// or https://"),
            );
            problems.add_if(
                !server.args.is_empty() || !server.env.is_empty(),
                format!(
                    "the MCP server `{name}` is a service and has neither arguments nor \
                     environment; use `header`"
                ),
            );
        }
    }
    problems.add_if(
        server
            .timeout
            .is_some_and(|timeout| timeout < Duration::from_secs(1)),
        format!(
            "the MCP server `{name}` has a timeout below 1 s, which the CLI ignores; increase it"
        ),
    );
}

pub(super) fn apply(options: &Options, builder: &mut Builder) -> Result<()> {
    let mcp = &options.mcp;
    builder.args.switch_if(mcp.strict, "strict-mcp-config");
    // Files first: of two servers with the same name, the CLI uses the last.
    builder.args.values("mcp-config", &mcp.config_files);
    let external = mcp.servers.external.iter();
    let mut servers: Map<String, Value> = external
        .map(|(name, server)| (name.clone(), server.clone().into()))
        .collect();
    if options.session.resumes() {
        // In-process servers are in `initialize`. A resumed CLI runs a deferred tool call before it
        // reads `initialize`, and would not find the tool.
        for (key, _) in &mcp.servers.in_process {
            servers.insert(key.clone(), json!({"type": "sdk", "name": key}));
        }
    }
    if servers.is_empty() {
        return Ok(());
    }
    let config = json!({ "mcpServers": servers });
    let value = builder.files.inline_or_path("mcp-config", &config)?;
    builder.args.value("mcp-config", value);
    Ok(())
}
