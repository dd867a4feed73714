use inhouse_proto::mcp::{CallToolResult, Content};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::ToolError;

/// A type that a tool can return.
///
/// Implemented for text, numbers and `bool` (Claude reads them as text), `()` and `Option` (`None` is
/// an empty result), [`Json`] for structured data, [`Content`] for images, audio and resources, and
/// `Result` of these with any error that converts into [`ToolError`].
///
/// ```
/// use inhouse::tool::{CallToolResult, IntoToolResult};
///
/// struct Celsius(f64);
///
/// impl IntoToolResult for Celsius {
///     fn into_tool_result(self) -> CallToolResult {
///         CallToolResult::text(format!("{} °C", self.0))
///     }
/// }
///
/// assert_eq!(Celsius(21.5).into_tool_result().all_text(), "21.5 °C");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    note = "return text, a number, `Json<T>` for data, `Content` or a `Vec` of it, `()`, or a `Result` of one of these with `ToolError`"
)]
pub trait IntoToolResult {
    /// Converts the value into the result that is sent to the CLI.
    fn into_tool_result(self) -> CallToolResult;

    /// Returns the JSON Schema of the structured result; `None`, the default, if the result is not
    /// structured.
    fn output_schema(_generator: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Structured data as the result of a tool; Claude reads it as JSON.
///
/// The data is sent as structured content, without other content: the CLI would hide that from the
/// model. A value that is not an object is sent as JSON text. The schema of `T` is listed with the
/// tool.
///
/// ```
/// use inhouse::tool::{Json, Tool, ToolServer};
/// use schemars::JsonSchema;
/// use serde::Serialize;
/// use serde_json::json;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Weather {
///     degrees: f64,
/// }
///
/// # inhouse_testkit::run(async {
/// let weather = Tool::new("weather", "The weather", async || Json(Weather { degrees: 21.5 }));
/// let result = ToolServer::new("test").tool(weather).call("weather", json!({})).await;
/// assert_eq!(result.structured_content, Some(json!({"degrees": 21.5})));
/// # });
/// ```
///
/// Served to other programs with [`serve_stdio`](crate::tool::ToolServer::serve_stdio) or
/// [`into_rmcp`](crate::tool::ToolServer::into_rmcp), the result also has the JSON as text, as MCP
/// requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(
    /// The data to serialize.
    pub T,
);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> CallToolResult {
        match serde_json::to_value(self.0) {
            // MCP allows only an object as structured content.
            Ok(data) if data.is_object() => CallToolResult::structured(data),
            Ok(data) => CallToolResult::text(data.to_string()),
            Err(error) => {
                CallToolResult::error(format!("the result cannot be serialized: {error}"))
            }
        }
    }

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        let schema = T::json_schema(generator);
        let is_object = schema.get("type").and_then(|kind| kind.as_str()) == Some("object");
        is_object.then_some(schema)
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> CallToolResult {
        self
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> CallToolResult {
        CallToolResult::default()
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> CallToolResult {
        CallToolResult::new([self])
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> CallToolResult {
        CallToolResult::new(self)
    }
}

impl<T: IntoToolResult, E: Into<ToolError>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> CallToolResult {
        match self {
            Ok(value) => value.into_tool_result(),
            Err(error) => error.into().into_result(),
        }
    }

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::output_schema(generator)
    }
}

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    /// Converts `None` into an empty result.
    fn into_tool_result(self) -> CallToolResult {
        self.map_or_else(CallToolResult::default, T::into_tool_result)
    }

    // Without an output schema: MCP requires structured content in every successful result of a tool
    // that has one, and clients reject a result without it.
}

macro_rules! into_text_result {
    ($into_string:ident: $( $ty:ty )*) => {
        $( impl IntoToolResult for $ty {
            fn into_tool_result(self) -> CallToolResult {
                let text: String = self.$into_string();
                CallToolResult::text(text)
            }
        } )*
    };
}

// `into` does not copy an owned string.
into_text_result! {
    into: &'static str String std::borrow::Cow<'static, str> Box<str> char
}

into_text_result! {
    to_string: bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64
}
