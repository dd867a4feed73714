use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::CanUseTool;
use crate::open::decode_value;

const TOOL: &str = "AskUserQuestion";

/// The input of the tool `AskUserQuestion`: questions of the model to the user.
///
/// The CLI sends the questions as a [`CanUseTool`] request. To answer, allow the call with the input that
/// [`QuestionAnswers::answered_input`] returns.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AskUserQuestion {
    /// The questions to the user, one to four.
    pub questions: Vec<Question>,
    /// Metadata about the origin of the questions, such as `source`.
    pub metadata: Option<Value>,
}

/// A question of the model, with the options to choose from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Question {
    /// The text of the question. It is also the key of the answer.
    pub question: String,
    /// A short heading to show above the question.
    pub header: Option<String>,
    /// The options that the user can choose from.
    pub options: Vec<QuestionOption>,
    /// Whether the user may choose several options.
    pub multi_select: Option<bool>,
}

/// An option of a [`Question`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct QuestionOption {
    /// The name of the option. It is also the answer if the user chooses the option.
    pub label: String,
    /// An explanation of the option.
    pub description: Option<String>,
    /// A preview of the result of choosing the option.
    pub preview: Option<String>,
}

impl CanUseTool {
    /// Decodes the questions of a call to `AskUserQuestion`; `None` for any other tool.
    ///
    /// # Errors
    /// If the input has the wrong shape.
    pub fn as_question(&self) -> Option<serde_json::Result<AskUserQuestion>> {
        (self.tool_name == TOOL).then(|| decode_value(&self.input))
    }
}

/// The answers of the user to an [`AskUserQuestion`], by the text of the question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionAnswers {
    /// The answer to each question. Several chosen labels are separated by commas.
    pub answers: BTreeMap<String, String>,
    /// Additions to the answers, by the text of the question.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, QuestionAnnotation>,
}

/// An addition to the answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionAnnotation {
    /// The preview of the option that the user chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// A remark of the user about the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl QuestionAnswers {
    /// Adds the answers to the input of the tool. Allow the call with the returned input.
    #[must_use]
    pub fn answered_input(&self, mut input: Map<String, Value>) -> Map<String, Value> {
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            input.extend(members);
        }
        input
    }
}
