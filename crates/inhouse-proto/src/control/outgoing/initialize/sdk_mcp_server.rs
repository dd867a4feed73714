use inhouse_macros::Open;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Settings of an MCP server in the host's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SdkMcpServerConfig {
    /// How long a call may take; the CLI ignores less than a second.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "milliseconds"
    )]
    pub timeout: Option<Duration>,
    /// What is decided about single tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolPolicy>>,
    /// Members that this version does not name.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl SdkMcpServerConfig {
    /// No settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits how long a call may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Decides about single tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPolicy>) -> Self {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// Adds a member that this version does not name.
    #[must_use]
    pub fn extra(mut self, name: impl Into<String>, value: Value) -> Self {
        self.extra.insert(name.into(), value);
        self
    }
}

/// What is decided about one tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// The tool, without the server's name.
    pub name: String,
    /// The decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_policy: Option<ToolPermissionPolicy>,
    /// The most that the organization allows: `allow`, `ask` or `blocked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_max_permission: Option<String>,
}

impl ToolPolicy {
    /// A decision about a tool.
    #[must_use]
    pub fn new(name: impl Into<String>, policy: ToolPermissionPolicy) -> Self {
        Self {
            name: name.into(),
            permission_policy: Some(policy),
            org_max_permission: None,
        }
    }
}

/// A decision about a tool. For servers in the host's process only asking and denying count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolPermissionPolicy {
    /// Run it.
    AlwaysAllow,
    /// Ask, whatever the rules allow.
    AlwaysAsk,
    /// Refuse it.
    AlwaysDeny,
    /// A value that this version does not know.
    Unknown(String),
}

/// The wire counts whole milliseconds here.
fn milliseconds<S: Serializer>(
    timeout: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let milliseconds =
        timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    milliseconds.serialize(serializer)
}
