use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::mcp::CallToolResult;
use inhouse_proto::wire::parse_json;
use jsonschema::Validator;
use serde_json::Value;

use super::handler::AnyHandler;
use super::{Call, Handler, Tool};

/// The number of validation errors that are reported for one call.
const MAX_ERRORS: usize = 8;

impl<S: 'static> Tool<S> {
    /// Creates a tool with your own JSON Schema for its arguments. Needs the feature `json-schema`.
    ///
    /// For schemas that come from elsewhere, or that no Rust type expresses. Arguments are validated
    /// against the schema before the handler runs, so the handler can take them as
    /// [`Input<Value>`](super::Input) and rely on their form. An invalid schema is a `Config` error
    /// when a session uses the server.
    ///
    /// ```
    /// use inhouse::tool::{Input, Tool, ToolServer};
    /// use serde_json::{Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": {"city": {"type": "string", "minLength": 1}},
    ///     "required": ["city"],
    /// });
    /// let weather = Tool::with_schema(
    ///     "weather",
    ///     "Get the weather in a city",
    ///     schema,
    ///     async |Input(arguments): Input<Value>| format!("rain in {}", arguments["city"]),
    /// );
    /// let server = ToolServer::new("weather").tool(weather);
    /// let invalid = server.call("weather", json!({"city": ""})).await;
    /// assert!(invalid.is_error);
    /// assert!(invalid.all_text().contains("/city"));
    /// # }
    /// ```
    pub fn with_schema<H, Args>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: H,
    ) -> Self
    where
        H: Handler<Args, S>,
        Args: 'static,
    {
        let mut tool = Self::new(name, description, handler);
        // The schema replaces the one that was inferred from the handler, and its problem if any.
        tool.problem = match jsonschema::validator_for(&schema) {
            Ok(validator) => {
                let inner = Arc::clone(&tool.handler);
                tool.handler = Arc::new(Validated { validator, inner });
                None
            }
            Err(error) => Some(format!("its schema is not valid: {error}")),
        };
        tool.definition.input_schema = schema;
        tool
    }
}

/// Validates arguments before it runs the inner handler.
struct Validated<S> {
    validator: Validator,
    inner: Arc<dyn AnyHandler<S>>,
}

impl<S> AnyHandler<S> for Validated<S> {
    fn call(&self, call: &Call<'_, S>) -> Pin<Box<dyn Future<Output = CallToolResult> + Send>> {
        let errors = match parse_json::<Value>(&call.call.arguments) {
            Ok(arguments) => self.validate(&arguments),
            Err(error) => vec![error.to_string()],
        };
        if errors.is_empty() {
            return self.inner.call(call);
        }
        let text = format!("invalid arguments: {}", errors.join("; "));
        Box::pin(ready(CallToolResult::error(text)))
    }
}

impl<S> Validated<S> {
    fn validate(&self, arguments: &Value) -> Vec<String> {
        self.validator
            .iter_errors(arguments)
            .take(MAX_ERRORS)
            .map(|error| match error.instance_path().to_string() {
                root if root.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect()
    }
}
