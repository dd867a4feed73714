use inhouse_macros::Open;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::control::PermissionUpdate;

/// The answer to a [`CanUseTool`](super::CanUseTool) request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
#[non_exhaustive]
pub enum PermissionDecision {
    /// The tool may run.
    Allow(AllowDecision),
    /// The tool must not run.
    Deny(DenyDecision),
}

impl From<AllowDecision> for PermissionDecision {
    fn from(allow: AllowDecision) -> Self {
        Self::Allow(allow)
    }
}

impl From<DenyDecision> for PermissionDecision {
    fn from(deny: DenyDecision) -> Self {
        Self::Deny(deny)
    }
}

/// A decision that allows a tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AllowDecision {
    /// The input that the tool runs with. It is always sent, because CLI 2.1.197 fails without it.
    pub updated_input: Map<String, Value>,
    /// Changes to the permissions: at most 4,096 updates, rules and directories in total.
    ///
    /// Members that are `null` are not sent, because the CLI silently ignores a rule with `"ruleContent": null`.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "without_nulls"
    )]
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The id of the tool call.
    #[serde(rename = "toolUseID", skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The kind of decision, for the statistics of the CLI. If `None`, the CLI infers the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_classification: Option<DecisionClassification>,
}

impl AllowDecision {
    /// Creates a decision that runs the tool with this input.
    #[must_use]
    pub fn new(updated_input: Map<String, Value>) -> Self {
        Self {
            updated_input,
            updated_permissions: None,
            tool_use_id: None,
            decision_classification: None,
        }
    }
}

/// A decision that denies a tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DenyDecision {
    /// Reason for the denial, which the CLI passes to the model as the result of the call.
    pub message: String,
    /// Whether the CLI also ends the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<bool>,
    /// The id of the tool call.
    #[serde(rename = "toolUseID", skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The kind of decision, for the statistics of the CLI. If `None`, the CLI infers the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_classification: Option<DecisionClassification>,
}

impl DenyDecision {
    /// Creates a decision that denies the call with a reason for the model.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            interrupt: None,
            tool_use_id: None,
            decision_classification: None,
        }
    }
}

/// The kind of a permission decision, for the statistics of the CLI.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionClassification {
    /// The user allowed the call once.
    UserTemporary,
    /// The user allowed the call permanently.
    UserPermanent,
    /// The user refused the call.
    UserReject,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// Serializes the updates without members that are `null`.
fn without_nulls<S: Serializer>(
    updates: &Option<Vec<PermissionUpdate>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut updates = serde_json::to_value(updates).map_err(serde::ser::Error::custom)?;
    drop_nulls(&mut updates);
    updates.serialize(serializer)
}

/// Removes the members that are `null` from all objects in a value.
pub(crate) fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
