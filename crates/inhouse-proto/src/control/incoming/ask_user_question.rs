use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::CanUseTool;
use crate::open::decode_value;

const TOOL: &str = "AskUserQuestion";

/// The model asks a person: the input of the tool `AskUserQuestion`.
///
/// It comes as a [`CanUseTool`], and allowing it with an input that
/// [`QuestionAnswers::answered_input`] made is the answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AskUserQuestion {
    /// The questions, one to four.
    pub questions: Vec<Question>,
    /// Where they come from.
    pub metadata: Option<Value>,
}

/// One question with its options.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Question {
    /// The question, which its answer names.
    pub question: String,
    /// A word or two to show above it.
    pub header: Option<String>,
    /// What to choose from.
    pub options: Vec<QuestionOption>,
    /// Whether several may be chosen.
    pub multi_select: Option<bool>,
}

/// One of the things to choose from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct QuestionOption {
    /// What it is called, and what is answered.
    pub label: String,
    /// What it means.
    pub description: Option<String>,
    /// What choosing it would look like.
    pub preview: Option<String>,
}

impl CanUseTool {
    /// What the model asks a person, if that is what the call does.
    ///
    /// # Errors
    /// When the questions have an unexpected shape.
    pub fn as_question(&self) -> Option<serde_json::Result<AskUserQuestion>> {
        (self.tool_name == TOOL).then(|| decode_value(&self.input))
    }
}

/// What a person answered, by the text of the question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionAnswers {
    /// The answers; several labels are separated by a comma.
    pub answers: BTreeMap<String, String>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, QuestionAnnotation>,
}

/// What goes with the answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionAnnotation {
    /// The preview of the chosen option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// A remark of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl QuestionAnswers {
    /// The input of the tool with the answers in it, which is what the tool has to run with.
    #[must_use]
    pub fn answered_input(&self, mut input: Map<String, Value>) -> Map<String, Value> {
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            input.extend(members);
        }
        input
    }
}
