//! Detection of values that must not be on a command line.

use serde_json::Value;

/// Members of settings and MCP configurations that contain secrets, or commands that print or
/// refresh one (CLI 2.1.325).
///
/// `env` and `headers` occur at several depths: in settings, in MCP servers and in HTTP hooks.
const NAMES: [&str; 11] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "env",
    "gcpAuthRefresh",
    "headers",
    "headersHelper",
    "oauth",
    "otelHeadersHelper",
    "pluginConfigs",
    "proxyAuthHelper",
];

/// Returns whether a configuration contains a secret.
///
/// Every user of the machine can read the arguments of a process (`/proc/<pid>/cmdline` on Linux),
/// so such a configuration is passed in a private file. The arguments of an MCP server do not count:
/// they are on the command line of the server itself.
pub(super) fn present_in(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            (NAMES.contains(&name.as_str()) && !is_empty(value))
                || (name == "url" && value.as_str().is_some_and(may_contain_secret))
                || present_in(value)
        }),
        Value::Array(values) => values.iter().any(present_in),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Returns whether a URL has user information or a query.
fn may_contain_secret(url: &str) -> bool {
    url.contains(['@', '?'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_found_at_any_depth() {
        for config in [
            json!({"env": {"TOKEN": "x"}}),
            json!({"mcpServers": {"a": {"command": "npx", "env": {"TOKEN": "x"}}}}),
            json!({"mcpServers": {"a": {"url": "https://a", "headers": {"K": "x"}}}}),
            json!({"mcpServers": {"a": {"url": "https://user:x@a"}}}),
            json!({"mcpServers": {"a": {"url": "https://a/?key=x"}}}),
            json!({"hooks": {"Stop": [{"hooks": [{"type": "http", "headers": {"K": "x"}}]}]}}),
            json!({"apiKeyHelper": "echo x"}),
            json!({"proxyAuthHelper": "echo x"}),
            json!({"gcpAuthRefresh": "login --token x"}),
            json!({"mcpServers": {"a": {"url": "https://a", "headersHelper": "echo x"}}}),
        ] {
            assert!(present_in(&config), "{config}");
        }
    }

    #[test]
    fn configurations_without_secrets_stay_inline() {
        for config in [
            json!({"env": {}, "permissions": {"deny": ["WebFetch"]}}),
            json!({"sandbox": {"credentials": {"envVars": [{"name": "T", "mode": "mask"}]}}}),
            json!({"mcpServers": {"a": {"command": "npx", "args": ["b"]}}}),
            json!({"mcpServers": {"a": {"url": "https://a/mcp", "headers": {}}}}),
        ] {
            assert!(!present_in(&config), "{config}");
        }
    }
}
