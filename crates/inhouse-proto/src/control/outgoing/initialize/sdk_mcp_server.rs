use inhouse_macros::Open;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// Settings of an MCP server in the host's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SdkMcpServerConfig {
    /// Time limit of a tool call, sent in whole milliseconds. The CLI ignores a limit of less than one second.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "milliseconds"
    )]
    pub timeout: Option<Duration>,
    /// Permission policies for single tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolPolicy>>,
    /// Members that this version does not define, by their names on the wire.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl SdkMcpServerConfig {
    /// Creates settings with every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the time of a tool call. The CLI ignores a limit of less than one second.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets permission policies for single tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPolicy>) -> Self {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// Adds a member that this version does not define, under its name on the wire.
    #[must_use]
    pub fn extra(mut self, name: impl Into<String>, value: Value) -> Self {
        self.extra.insert(name.into(), value);
        self
    }
}

/// Permission policy for one tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// Name of the tool, without the server's name.
    pub name: String,
    /// The policy that the host sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_policy: Option<ToolPermissionPolicy>,
    /// Maximum permission that the organization allows: `allow`, `ask` or `blocked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_max_permission: Option<String>,
}

impl ToolPolicy {
    /// Creates a policy for the named tool.
    #[must_use]
    pub fn new(name: impl Into<String>, policy: ToolPermissionPolicy) -> Self {
        Self {
            name: name.into(),
            permission_policy: Some(policy),
            org_max_permission: None,
        }
    }
}

/// Permission policy for a tool. For servers in the host's process, only `AlwaysAsk` and `AlwaysDeny` take effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolPermissionPolicy {
    /// The tool runs without a permission request.
    AlwaysAllow,
    /// The CLI requests permission for every call, even if a rule allows the tool.
    AlwaysAsk,
    /// The CLI denies every call.
    AlwaysDeny,
    /// A value that this version of the crate does not know. The CLI treats it as [`AlwaysAsk`](Self::AlwaysAsk).
    Unknown(String),
}

/// Serializes a timeout in whole milliseconds, the unit of this member on the wire.
fn milliseconds<S: Serializer>(
    timeout: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let milliseconds =
        timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    milliseconds.serialize(serializer)
}
