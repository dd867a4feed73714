use serde::Deserialize;
use serde_json::{Map, Value};

use super::CanUseTool;
use crate::open::decode_value;

const TOOL: &str = "ExitPlanMode";

/// The model has a plan and wants to begin: the input of the tool `ExitPlanMode`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExitPlanMode {
    /// The plan, in Markdown. The CLI reads it from the file that the model wrote; without one
    /// there is none, whatever the model passed (2.1.325).
    pub plan: Option<String>,
    /// The file.
    pub plan_file_path: Option<String>,
}

impl ExitPlanMode {
    /// The input of the tool with another plan, which the model is told was edited.
    #[must_use]
    pub fn edited_input(mut input: Map<String, Value>, plan: String) -> Map<String, Value> {
        input.insert("plan".to_owned(), Value::String(plan));
        input
    }
}

impl CanUseTool {
    /// The plan that a person is to approve, if that is what the call is for.
    ///
    /// # Errors
    /// If a member has the wrong shape.
    pub fn as_plan(&self) -> Option<serde_json::Result<ExitPlanMode>> {
        (self.tool_name == TOOL).then(|| decode_value(&self.input))
    }
}
