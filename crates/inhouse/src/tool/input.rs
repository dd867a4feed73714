use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::{Call, Extract, ToolError};

/// The arguments that the model gives, as a type of yours.
///
/// Its JSON Schema is what Claude sees of the tool: doc comments become descriptions, `Option`
/// members are optional, `#[serde(default)]` members have a default. Arguments that do not fit are
/// answered with an error that names the member; the handler does not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input<T>(
    /// The arguments.
    pub T,
);

impl<S, T: DeserializeOwned + JsonSchema> Extract<S> for Input<T> {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        serde_json::from_str(call.arguments())
            .map(Input)
            .map_err(|error| invalid(call.arguments(), &error))
    }

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }
}

/// Says which member is wrong, where serde says only at which column.
fn invalid(arguments: &str, error: &serde_json::Error) -> ToolError {
    let reason = error.to_string();
    let reason = without_position(&reason);
    let mut text = format!("invalid arguments: {reason}");
    // A member that is missing is named already, and stands nowhere.
    let named = reason.starts_with("missing field");
    if !named && let Some(member) = member_at(arguments, error.column()) {
        text.push_str(&format!(" (at `{member}`)"));
    }
    ToolError::new(text)
}

/// The position is one in a text that the model has never seen.
fn without_position(text: &str) -> &str {
    text.rsplit_once(" at line ").map_or(text, |(text, _)| text)
}

/// The member of the outermost object whose value ends at or behind a column of a one-line text.
fn member_at(arguments: &str, column: usize) -> Option<String> {
    let members: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(arguments).ok()?;
    let before = arguments.get(..column)?;
    members
        .keys()
        .filter_map(|name| {
            let quoted = serde_json::to_string(name).ok()?;
            Some((before.rfind(&quoted)?, name))
        })
        .max()
        .map(|(_, name)| name.clone())
}
