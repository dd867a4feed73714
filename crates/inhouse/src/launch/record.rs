use std::ffi::OsStr;

use inhouse_proto::redact::is_secret_name;
use serde_json::Value;

use super::problems::Problems;
use super::{HostEnvironment, secrets};
use crate::options::{Options, SettingsForm};

/// Shorter values of variables and headers are not searched in a recording: `1` would be everywhere.
const MIN_VALUE: usize = 6;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let path = options.record.as_ref().and_then(|record| record.path());
    if let Some(path) = path {
        problems.reject_empty("record", path);
    }
}

/// Returns the known secrets of a session, if it is recorded.
pub(super) fn recorded_secrets(options: &Options, host: &HostEnvironment) -> Vec<String> {
    match options.record {
        Some(_) => known_secrets(options, host),
        None => Vec::new(),
    }
}

/// Returns the known secrets of a session: values that the user names, of environment variables, of headers and of other
/// secret members of configurations.
pub(super) fn known_secrets(options: &Options, host: &HostEnvironment) -> Vec<String> {
    let mut values = Vec::new();
    let inherited = host
        .names()
        .filter_map(|name| Some((name, host.get(name)?)));
    for (name, value) in inherited.filter_map(as_text) {
        if has_secret_name(name) {
            values.push(value.to_owned());
        } else {
            values.extend(secrets::password_of(value).map(str::to_owned));
        }
    }
    let set = options.environment.set.iter();
    let set = set.map(|(name, value)| (name.as_os_str(), value.0.as_os_str()));
    for (name, value) in set.filter_map(as_text) {
        if has_secret_name(name) || may_be_secret(value) {
            values.push(value.to_owned());
        }
    }
    for (_, server) in &options.mcp.servers.external {
        secrets::collect(&server.clone().into(), &mut values);
    }
    for agent in options.agents.definitions.values() {
        let agent = serde_json::to_value(&agent.0).unwrap_or(Value::Null);
        secrets::collect(&agent, &mut values);
    }
    if let Some(settings) = &options.settings.settings {
        match &settings.0 {
            SettingsForm::Value(value) => secrets::collect(value, &mut values),
            SettingsForm::Json(text) => {
                secrets::collect(
                    &serde_json::from_str(text).unwrap_or(Value::Null),
                    &mut values,
                );
            }
            SettingsForm::File(_) => {}
        }
    }
    if let Some(managed) = &options.settings.managed {
        secrets::collect(&managed.0, &mut values);
    }
    // A header is `Bearer <token>`, and the token occurs alone as well.
    let tokens: Vec<String> = values
        .iter()
        .filter_map(|value| value.split_once(' '))
        .map(|(_, token)| token.to_owned())
        .filter(|token| !token.contains(char::is_whitespace))
        .collect();
    values.extend(tokens);
    values.retain(|value| value.trim().len() >= MIN_VALUE);
    let named = options.record.iter().flat_map(|record| &record.values);
    values.extend(named.cloned());
    values
}

fn as_text<'a>((name, value): (&'a OsStr, &'a OsStr)) -> Option<(&'a str, &'a str)> {
    Some((name.to_str()?, value.to_str()?))
}

/// Returns whether the name of a variable says that its value is secret.
fn has_secret_name(name: &str) -> bool {
    const ENDS: [&str; 5] = ["KEY", "PASS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"];
    let upper = name.to_ascii_uppercase();
    is_secret_name(name) || ENDS.iter().any(|end| upper.ends_with(end))
}

/// Returns whether the value of a variable that the user sets may be secret: it is not a place, a word or a number.
fn may_be_secret(value: &str) -> bool {
    const MIN_LENGTH: usize = 8;
    let is_place =
        value.starts_with(['/', '.', '~']) || value.contains("://") && !value.contains('@');
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    let is_plain = value.bytes().all(is_word) || value.bytes().all(|byte| byte.is_ascii_digit());
    value.len() >= MIN_LENGTH && !is_place && !is_plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::options::{AgentDefinition, McpServer};
    use crate::record::Record;

    fn known(options: Options) -> Vec<String> {
        let host = HostEnvironment::from_iter([
            ("GITHUB_TOKEN", "inherited-token"),
            ("DATABASE_URL", "postgres://me:inherited-password@host/db"),
            ("EDITOR", "/usr/bin/vi"),
            ("SHORT_TOKEN", "  abc  "),
        ]);
        recorded_secrets(&options, &host)
    }

    #[test]
    fn secrets_of_all_origins_are_known() {
        let server = McpServer::http("https://me:url-password@host/mcp?key=url-parameter")
            .header("Authorization", "Bearer header-token")
            .header("X-Team", "header-value");
        let agent = json!({
            "description": "d",
            "prompt": "not-secret",
            "mcpServers": [{ "own": { "command": "x", "env": { "X": "agent-value" } } }],
        });
        let agent: AgentDefinition = serde_json::from_value(agent).unwrap();
        let options = Options::new()
            .agents([("helper", agent)])
            .env("ANYTHING", "User-Value-1")
            .env("SIGNING_KEY", "abcdefg")
            .env("LANG", "C")
            .env("BIN", "/usr/local/bin")
            .mcp_server("a", server)
            .settings(json!({ "env": { "X": "settings-value" }, "model": "not-secret" }))
            .managed_settings(json!({ "apiKeyHelper": "managed-helper" }))
            .record(Record::writer(std::io::sink()).redact("id"));
        let mut known = known(options);
        known.sort();
        let expected = [
            "Bearer header-token",
            "User-Value-1",
            "abcdefg",
            "agent-value",
            "header-token",
            "header-value",
            "id",
            "inherited-password",
            "inherited-token",
            "managed-helper",
            "settings-value",
            "url-parameter",
            "url-password",
        ];
        assert_eq!(known, expected);
    }

    #[test]
    fn secrets_are_collected_for_recordings_only() {
        assert!(known(Options::new().env("API_TOKEN", "abcdefgh")).is_empty());
    }
}
