use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::Problems;
use crate::mcp::Server;
use crate::options::{McpServer, McpTransport, Options};

/// MCP servers and plugins.
pub(super) fn check(options: &Options, problems: &mut Problems) {
    check_servers(&options.mcp.servers, &options.in_process.servers, problems);
    for path in &options.mcp.config_files {
        problems.not_empty("mcp_config_file", path);
    }
    for plugin in &options.plugins.plugins {
        problems.not_empty("plugin", &plugin.path);
    }
}

/// The MCP servers of a session, those outside of this process and those inside.
pub(super) fn check_servers(
    external: &[(String, McpServer)],
    in_process: &[(String, Arc<dyn Server>)],
    problems: &mut Problems,
) {
    let mut names = BTreeSet::new();
    for (name, server) in external {
        problems.not_empty("mcp_server", name);
        problems.add_if(
            !names.insert(name),
            format!("two MCP servers of the name `{name}`; rename one of them"),
        );
        check_server(name, server, problems);
    }
    for (key, server) in in_process {
        problems.not_empty("tool_server", key);
        problems.add_if(
            !names.insert(key),
            format!("two MCP servers of the name `{key}`; use `tool_server_as` for one of them"),
        );
        for problem in server.problems() {
            problems.add(format!("the MCP server `{key}`: {problem}"));
        }
    }
}

fn check_server(name: &str, server: &McpServer, problems: &mut Problems) {
    match &server.transport {
        McpTransport::Stdio { command } => {
            problems.add_if(
                command.is_empty(),
                format!("the MCP server `{name}` has no command; name its program"),
            );
            problems.add_if(
                !server.headers.is_empty(),
                format!("the MCP server `{name}` is a program and takes no headers; use `env`"),
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
                    "the MCP server `{name}` is a service and takes neither arguments nor \
                     environment; use `header`"
                ),
            );
        }
    }
    problems.add_if(
        server
            .timeout
            .is_some_and(|timeout| timeout < Duration::from_secs(1)),
        format!("the MCP server `{name}` has a timeout below 1 s, which the CLI ignores; raise it"),
    );
}
