use inhouse_proto::mcp::{CallToolResult, Content};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::ToolError;

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    note = "return text, a number, `Json<T>` for data, `Content` or a `Vec` of it, `()`, or a `Result` of one of these with `ToolError`"
)]
pub trait IntoToolResult {
    /// What the CLI gets.
    fn into_tool_result(self) -> CallToolResult;

    /// The JSON Schema of the structured result, where there is one.
    fn output_schema(_generator: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Data: it travels as structured content, and the model reads it as JSON.
///
/// Claude sees the JSON and nothing else: content next to structured content would be hidden from
/// the model, so there is none. The schema of `T` is listed with the tool.
///
/// Served to other programs with [`serve_stdio`](crate::tool::ToolServer::serve_stdio) or
/// [`into_rmcp`](crate::tool::ToolServer::into_rmcp), the result also carries the JSON as text, as
/// MCP asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(
    /// The data.
    pub T,
);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> CallToolResult {
        match serde_json::to_value(self.0) {
            // MCP wants an object there; anything else is data all the same, as text.
            Ok(data) if data.is_object() => CallToolResult::structured(data),
            Ok(data) => CallToolResult::text(data.to_string()),
            Err(error) => CallToolResult::error(format!("the result has no JSON form: {error}")),
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
    /// `None` is an empty result.
    fn into_tool_result(self) -> CallToolResult {
        self.map_or_else(CallToolResult::default, T::into_tool_result)
    }

    // No output schema: with one, MCP requires structured content in every successful result, and
    // clients reject a call without.
}

macro_rules! as_text {
    ($made:ident: $( $ty:ty )*) => {
        $( impl IntoToolResult for $ty {
            fn into_tool_result(self) -> CallToolResult {
                let text: String = self.$made();
                CallToolResult::text(text)
            }
        } )*
    };
}

// A text that is owned already is not copied.
as_text! {
    into: &'static str String std::borrow::Cow<'static, str> Box<str> char
}

as_text! {
    to_string: bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64
}
