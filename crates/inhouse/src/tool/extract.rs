use schemars::{Schema, SchemaGenerator};

use super::{Call, ToolError};

/// Something that a handler takes as an argument.
///
/// Implement it for what your handlers need again and again: a database connection out of the
/// state, the user on whose behalf the agent runs.
///
/// ```
/// use inhouse::tool::{Call, Extract, ToolError};
///
/// struct Pool { /* … */ }
/// struct Connection;
///
/// impl Extract<Pool> for Connection {
///     fn extract(call: &Call<'_, Pool>) -> Result<Self, ToolError> {
///         let _pool = call.state();
///         Ok(Connection)
///     }
/// }
/// ```
///
/// Extraction is synchronous: what has to be waited for belongs into the handler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool whose state is `{S}`",
    label = "not an argument of a tool",
    note = "wrap the arguments of the model in `Input<T>`, the state in `State<T>`, or implement `Extract<{S}>`"
)]
pub trait Extract<S>: Sized {
    /// Takes it from a call.
    ///
    /// # Errors
    /// The handler does not run then, and the model reads the error.
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError>;

    /// The JSON Schema of what the model has to give for it; `None` when it gives nothing.
    fn schema(_generator: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}
