use inhouse_proto::wire::parse_json;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::{Call, Extract, ToolError};

/// The arguments of a call, deserialized into your own type.
///
/// The JSON Schema of the type is listed with the tool: doc comments become descriptions, `Option`
/// fields are optional, `#[serde(default)]` fields have a default. If the arguments cannot be
/// deserialized, the handler does not run, and Claude reads an error that names the field.
///
/// ```
/// use inhouse::tool::{Input, Tool, ToolServer};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     /// Whom to greet
///     name: String,
/// }
///
/// # inhouse_testkit::run(async {
/// let greet = Tool::new("greet", "Greet", async |Input(Greet { name }): Input<Greet>| name);
/// let server = ToolServer::new("test").tool(greet);
/// assert_eq!(server.call("greet", json!({"name": "Ada"})).await.all_text(), "Ada");
/// let result = server.call("greet", json!({"name": 7})).await;
/// assert!(result.is_error);
/// assert!(result.all_text().contains("`name`"));
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input<T>(
    /// The arguments in deserialized form.
    pub T,
);

impl<S, T: DeserializeOwned + JsonSchema> Extract<S> for Input<T> {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        let arguments = &call.call.arguments;
        parse_json(arguments)
            .map(Input)
            .map_err(|error| invalid_arguments(arguments, &error))
    }

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }
}

/// Names the invalid member, where serde gives only a column.
fn invalid_arguments(arguments: &str, error: &serde_json::Error) -> ToolError {
    let reason = error.to_string();
    // The position refers to a text that the model has never seen.
    let reason = reason
        .rsplit_once(" at line ")
        .map_or(&*reason, |(reason, _)| reason);
    let mut text = format!("invalid arguments: {reason}");
    // serde names a missing member, which has no position.
    let is_named = reason.starts_with("missing field");
    if !is_named && let Some(member) = member_at(arguments, error.column()) {
        text.push_str(&format!(" (at `{member}`)"));
    }
    ToolError::new(text)
}

/// Returns the top-level member whose value ends at or after a column of a one-line object.
fn member_at(arguments: &str, column: usize) -> Option<String> {
    let members: serde_json::Map<String, serde_json::Value> = parse_json(arguments).ok()?;
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
