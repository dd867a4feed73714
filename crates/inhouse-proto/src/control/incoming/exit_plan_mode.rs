use serde::Deserialize;
use serde_json::{Map, Value};

use super::CanUseTool;
use crate::open::decode_value;

const TOOL: &str = "ExitPlanMode";

/// The input of the tool `ExitPlanMode`: the model asks for approval of its plan.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExitPlanMode {
    /// The plan in Markdown. CLI 2.1.325 reads it from the file that the model wrote. Without that file it is `None`,
    /// even if the model passed a plan in the call.
    pub plan: Option<String>,
    /// The path of the file that holds the plan.
    pub plan_file_path: Option<String>,
}

impl ExitPlanMode {
    /// Returns the input of the tool with another plan. The CLI reports to the model that the plan was edited.
    #[must_use]
    pub fn edited_input(mut input: Map<String, Value>, plan: String) -> Map<String, Value> {
        input.insert("plan".to_owned(), Value::String(plan));
        input
    }
}

impl CanUseTool {
    /// Decodes the plan of a call to `ExitPlanMode`; `None` for any other tool.
    ///
    /// # Errors
    /// If a member of the input has the wrong shape.
    pub fn as_plan(&self) -> Option<serde_json::Result<ExitPlanMode>> {
        (self.tool_name == TOOL).then(|| decode_value(&self.input))
    }
}
