use inhouse_macros::Open;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::control::PermissionUpdate;

/// The answer to [`CanUseTool`](super::CanUseTool).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
#[non_exhaustive]
pub enum PermissionDecision {
    /// The tool runs.
    Allow(AllowDecision),
    /// It does not.
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

/// The tool runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AllowDecision {
    /// The input that it runs with. It is always sent, since CLI 2.1.197 fails without it.
    pub updated_input: Map<String, Value>,
    /// Changes to the permissions, 4,096 updates, rules and directories at most. Sent without
    /// `null`s: a rule with `"ruleContent": null` has no effect, and nobody is told.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "without_nulls"
    )]
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The tool call.
    #[serde(rename = "toolUseID", skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// What kind of decision it was, for statistics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_classification: Option<DecisionClassification>,
}

impl AllowDecision {
    /// Runs the tool with this input.
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

/// The tool does not run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DenyDecision {
    /// Why; the model reads this.
    pub message: String,
    /// Whether the turn ends, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<bool>,
    /// The tool call.
    #[serde(rename = "toolUseID", skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// What kind of decision it was, for statistics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_classification: Option<DecisionClassification>,
}

impl DenyDecision {
    /// Refuses the call and tells the model why.
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

/// What kind of decision was made, for the CLI's statistics.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionClassification {
    /// Allowed this once.
    UserTemporary,
    /// Allowed for good.
    UserPermanent,
    /// Refused.
    UserReject,
    /// A value that this version does not know.
    Unknown(String),
}

fn without_nulls<S: Serializer>(
    updates: &Option<Vec<PermissionUpdate>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut updates = serde_json::to_value(updates).map_err(serde::ser::Error::custom)?;
    drop_nulls(&mut updates);
    updates.serialize(serializer)
}

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
