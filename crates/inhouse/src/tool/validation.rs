use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::mcp::CallToolResult;
use jsonschema::Validator;
use serde_json::Value;

use super::handler::AnyHandler;
use super::{Call, Handler, Tool};

/// How many of the things that are wrong with some arguments are told.
const TOLD: usize = 8;

impl<S: 'static> Tool<S> {
    /// A tool whose arguments are described by a JSON Schema of your own.
    ///
    /// For schemas that come from elsewhere, or that no Rust type expresses. Arguments are checked
    /// against the schema before the handler runs, so the handler can take them as
    /// [`Input<Value>`](super::Input) and rely on it. A schema that is not one is an error when the
    /// server is used.
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
    ///     "The weather in a city",
    ///     schema,
    ///     async |Input(arguments): Input<Value>| format!("rain in {}", arguments["city"]),
    /// );
    /// let server = ToolServer::new("weather").tool(weather);
    /// let refused = server.call("weather", json!({"city": ""})).await;
    /// assert!(refused.is_error);
    /// assert!(refused.all_text().contains("/city"));
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
        // Whatever the handler's own types say of the arguments is not listed.
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

/// Runs a handler only with arguments that fit a schema.
struct Validated<S> {
    validator: Validator,
    inner: Arc<dyn AnyHandler<S>>,
}

impl<S> AnyHandler<S> for Validated<S> {
    fn call(&self, call: &Call<'_, S>) -> Pin<Box<dyn Future<Output = CallToolResult> + Send>> {
        let wrong = match serde_json::from_str::<Value>(call.arguments()) {
            Ok(arguments) => self.wrong(&arguments),
            Err(error) => vec![error.to_string()],
        };
        if wrong.is_empty() {
            return self.inner.call(call);
        }
        let text = format!("invalid arguments: {}", wrong.join("; "));
        Box::pin(ready(CallToolResult::error(text)))
    }
}

impl<S> Validated<S> {
    fn wrong(&self, arguments: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(arguments).take(TOLD);
        errors
            .map(|error| match error.instance_path().to_string() {
                whole if whole.is_empty() => error.to_string(),
                member => format!("{member}: {error}"),
            })
            .collect()
    }
}
