//! What the expansion of `#[tool]` needs. No part of the API: it changes without notice.

pub use {schemars, serde};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;

/// What a named parameter of a tool has to be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument that the model gives",
    label = "not an argument of the model",
    note = "derive `Deserialize` and `JsonSchema` for it; or, if it is an extractor, take it apart with a pattern or mark the parameter with `#[extract]`"
)]
pub trait Argument {}

impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// Compiles for arguments only.
pub fn argument<T: Argument>() {}

/// Runs a handler that blocks on a thread where that does no harm.
///
/// # Panics
/// As the handler does: whoever catches the panics of a handler catches these.
pub async fn blocking<R: Send + 'static>(handler: impl FnOnce() -> R + Send + 'static) -> R {
    let span = tracing::Span::current();
    match spawn_blocking(move || span.in_scope(handler)).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => panic!("the runtime is shutting down"),
        },
    }
}
