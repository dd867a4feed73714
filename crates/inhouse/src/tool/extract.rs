use schemars::{Schema, SchemaGenerator};

use super::{Call, ToolError};

/// A type that a handler can take as a parameter.
///
/// Implement it for values that many of your handlers need, such as a database connection from the
/// state or the user for whom the agent runs. Extraction is synchronous: await in the handler.
///
/// ```
/// use inhouse::tool::{Call, Extract, Tool, ToolError, ToolServer};
/// use serde_json::json;
///
/// struct App {
///     user: Option<String>,
/// }
///
/// struct User(String);
///
/// impl Extract<App> for User {
///     fn extract(call: &Call<'_, App>) -> Result<Self, ToolError> {
///         let user = call.state().user.clone();
///         user.map(User).ok_or_else(|| ToolError::new("not signed in"))
///     }
/// }
///
/// # inhouse_testkit::run(async {
/// let whoami = Tool::new("whoami", "The current user", async |User(name): User| name);
/// let server = ToolServer::with_state("app", App { user: None }).tool(whoami);
/// let result = server.call("whoami", json!({})).await;
/// assert!(result.is_error);
/// assert_eq!(result.all_text(), "not signed in");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool whose state is `{S}`",
    label = "not an extractor",
    note = "wrap the arguments in `Input<T>`, the state in `State<T>`, or implement `Extract<{S}>`"
)]
pub trait Extract<S>: Sized {
    /// Creates the value from a call.
    ///
    /// # Errors
    /// An error becomes the result of the call, which Claude reads; the handler does not run.
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError>;

    /// Returns the JSON Schema of the arguments that this value is made of; `None` if Claude passes
    /// none for it, which is the default.
    fn schema(_generator: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}
