//! Detection of values that must not be on a command line.

use inhouse_proto::redact::is_secret_name;
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

/// Adds the secrets of a configuration to `values`: the strings in its secret members, and the passwords and parameters of its
/// URLs.
pub(super) fn collect(value: &Value, values: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if NAMES.contains(&name.as_str()) {
                    collect_strings(value, values);
                } else if let ("url", Some(url)) = (name.as_str(), value.as_str()) {
                    collect_from_url(url, values);
                } else {
                    collect(value, values);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, values)),
        _ => {}
    }
}

fn collect_strings(value: &Value, values: &mut Vec<String>) {
    match value {
        Value::String(text) => values.push(text.clone()),
        Value::Object(members) => members
            .values()
            .for_each(|value| collect_strings(value, values)),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, values)),
        _ => {}
    }
}

/// Adds the secret parameters of a URL to `values`, and its password.
fn collect_from_url(url: &str, values: &mut Vec<String>) {
    /// Shorter values are settings, such as `readonly`, unless they have the name of a secret.
    const MIN_UNKNOWN: usize = 16;
    values.extend(password_of(url).map(str::to_owned));
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let parameters = query
        .split('&')
        .filter_map(|parameter| parameter.split_once('='));
    let secret = parameters.filter(|(name, value)| {
        is_secret_name(name) || name.ends_with("key") || value.len() >= MIN_UNKNOWN
    });
    values.extend(secret.map(|(_, value)| value.to_owned()));
}

/// Returns the password in a URL, or the user name if that is all there is.
pub(super) fn password_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    Some(user.split_once(':').map_or(user, |(_, password)| password))
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
