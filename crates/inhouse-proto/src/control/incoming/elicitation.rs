use inhouse_macros::Open;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A request for user input from an MCP server that the CLI is connected to.
///
/// The answer is an [`ElicitationAnswer`]. The CLI treats an error answer as a cancellation. MCP servers in the host
/// process cannot send this request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ElicitationRequest {
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The question of the server to the user.
    pub message: String,
    /// The way in which the user answers.
    pub mode: Option<ElicitationMode>,
    /// The address of the page to open, for [`ElicitationMode::Url`].
    pub url: Option<String>,
    /// The id of the elicitation, for [`ElicitationMode::Url`]. A system message with this id reports the completion.
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the answer, for [`ElicitationMode::Form`].
    pub requested_schema: Option<Map<String, Value>>,
    /// The order in which to show the members of the schema.
    pub property_order: Option<Vec<String>>,
    /// A title to show to the user.
    pub title: Option<String>,
    /// The name of the server to show to the user.
    pub display_name: Option<String>,
    /// A further description to show to the user.
    pub description: Option<String>,
}

/// The way in which the user answers an [`ElicitationRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitationMode {
    /// The user fills in a form.
    Form,
    /// The user answers on a web page.
    Url,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// The answer to an [`ElicitationRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitationAnswer {
    /// The user answered the request.
    Accept {
        /// The fields of the form; `None` for [`ElicitationMode::Url`].
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Map<String, Value>>,
    },
    /// The user refused to answer.
    Decline,
    /// The user dismissed the request without an answer.
    Cancel,
}

impl ElicitationAnswer {
    /// Creates an answer with the fields of a form.
    ///
    /// # Errors
    /// If the content cannot be serialized, or does not serialize to an object.
    pub fn accept(content: &impl Serialize) -> Result<Self, serde_json::Error> {
        match serde_json::to_value(content)? {
            Value::Object(content) => Ok(Self::Accept {
                content: Some(content),
            }),
            _ => Err(serde::ser::Error::custom(
                "the content of a form must be an object",
            )),
        }
    }

    /// Creates an answer that accepts without content, for [`ElicitationMode::Url`].
    #[must_use]
    pub fn accept_url() -> Self {
        Self::Accept { content: None }
    }
}
