use crate::control::ControlRequest;
use serde::Serialize;
use serde_json::{Map, Value};

/// Request to call a tool of an MCP server without the model.
///
/// Only for servers that the CLI runs: the CLI rejects a call to a server in the host's process, which the host can
/// call directly. The reply is the MCP result of the tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpCall {
    /// Full name of the tool, `mcp__server__tool`.
    pub tool: String,
    /// Arguments of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// Whether permissions are checked as for a call by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_permissions: Option<bool>,
    /// Whether the result is withheld from the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_not_for_model: Option<bool>,
    /// Time limit in milliseconds, from 1,000 to 600,000. `None` sets 120,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Time at which the call expires (RFC 3339); required with output files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Files that the tool reads, for hosted workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_files: Option<Vec<McpInputFile>>,
    /// Files that the tool writes, for hosted workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_files: Option<Vec<McpOutputFile>>,
}

impl McpCall {
    /// Creates a request for the tool with this full name, without optional members.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            arguments: None,
            check_permissions: None,
            result_not_for_model: None,
            timeout_ms: None,
            expires_at: None,
            input_files: None,
            output_files: None,
        }
    }

    /// Sets the arguments of the tool call.
    #[must_use]
    pub fn arguments(mut self, arguments: Map<String, Value>) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// Sets whether permissions are checked as for a call by the model.
    #[must_use]
    pub fn check_permissions(mut self, check_permissions: bool) -> Self {
        self.check_permissions = Some(check_permissions);
        self
    }

    /// Sets whether the result is withheld from the model.
    #[must_use]
    pub fn result_not_for_model(mut self, result_not_for_model: bool) -> Self {
        self.result_not_for_model = Some(result_not_for_model);
        self
    }

    /// Sets the time limit in milliseconds, from 1,000 to 600,000.
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// Sets the time at which the call expires (RFC 3339); required with output files.
    #[must_use]
    pub fn expires_at(mut self, expires_at: impl Into<String>) -> Self {
        self.expires_at = Some(expires_at.into());
        self
    }

    /// Sets the files that the tool reads, for hosted workers.
    #[must_use]
    pub fn input_files(mut self, input_files: Vec<McpInputFile>) -> Self {
        self.input_files = Some(input_files);
        self
    }

    /// Sets the files that the tool writes, for hosted workers.
    #[must_use]
    pub fn output_files(mut self, output_files: Vec<McpOutputFile>) -> Self {
        self.output_files = Some(output_files);
        self
    }
}

impl ControlRequest for McpCall {
    const SUBTYPE: &'static str = "mcp_call";
    type Reply = Value;
}

/// A staged file that a tool call reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpInputFile {
    /// Name of the file for the tool.
    pub name: String,
    /// Path at which the file is staged.
    pub lane_path: String,
}

impl McpInputFile {
    /// Creates a file from its name for the tool and the path at which it is staged.
    #[must_use]
    pub fn new(name: impl Into<String>, lane_path: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lane_path: lane_path.into(),
        }
    }
}

/// A staged file that a tool call writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpOutputFile {
    /// Name of the file for the tool.
    pub name: String,
    /// Path at which the file is staged.
    pub lane_path: String,
    /// Version that the file must still have to be overwritten. `None` sets no condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
}

impl McpOutputFile {
    /// Creates a file from its name for the tool and the path at which it is staged.
    #[must_use]
    pub fn new(name: impl Into<String>, lane_path: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lane_path: lane_path.into(),
            if_match: None,
        }
    }

    /// Overwrites the file only if it still has this version.
    #[must_use]
    pub fn if_match(mut self, version: impl Into<String>) -> Self {
        self.if_match = Some(version.into());
        self
    }
}
