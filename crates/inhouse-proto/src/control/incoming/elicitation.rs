use inhouse_macros::Open;
use serde::Deserialize;
use serde::Serialize;
use serde_json::{Map, Value};

/// An MCP server that the CLI connected wants to know something from a person.
///
/// The answer is an [`ElicitationAnswer`]; an error counts as a cancellation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server.
    pub mcp_server_name: String,
    /// What it wants to know.
    pub message: String,
    /// How the person answers.
    pub mode: Option<ElicitationMode>,
    /// The page to open, for [`ElicitationMode::Url`].
    pub url: Option<String>,
    /// An id, for [`ElicitationMode::Url`]: a message says when it is complete.
    pub elicitation_id: Option<String>,
    /// The JSON schema of the answer, for [`ElicitationMode::Form`].
    pub requested_schema: Option<Map<String, Value>>,
    /// The order in which the server wants the members of the schema to be shown.
    pub property_order: Option<Vec<String>>,
    /// A title to show.
    pub title: Option<String>,
    /// The server's name to show.
    pub display_name: Option<String>,
    /// More to show.
    pub description: Option<String>,
}

/// How a person answers an [`Elicitation`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitationMode {
    /// By filling in a form.
    Form,
    /// On a web page.
    Url,
    /// A value that this version does not know.
    Unknown(String),
}

/// The answer to an [`Elicitation`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitationAnswer {
    /// The person answered.
    Accept {
        /// The form; there is none for a web page.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Map<String, Value>>,
    },
    /// The person refused.
    Decline,
    /// The person went away.
    Cancel,
}

impl ElicitationAnswer {
    /// The person filled in the form.
    ///
    /// # Errors
    /// When the content cannot be serialized, or to something else than an object.
    pub fn accept(content: &impl Serialize) -> Result<Self, serde_json::Error> {
        match serde_json::to_value(content)? {
            Value::Object(content) => Ok(Self::Accept {
                content: Some(content),
            }),
            _ => Err(serde::ser::Error::custom(
                "a form is an object of its fields",
            )),
        }
    }

    /// The person agreed, and there is no form: the answer for [`ElicitationMode::Url`].
    #[must_use]
    pub fn agree() -> Self {
        Self::Accept { content: None }
    }
}
