//! Items that the expansion of `#[tool]` uses. Not public API: they change without notice.

pub use {schemars, serde};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;

/// Marks the types that a named parameter of a tool can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument of a tool",
    note = "derive `Deserialize` and `JsonSchema` for it; if it is an extractor, use a pattern or mark the parameter with `#[extract]`"
)]
pub trait Argument {}

impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// Fails to compile unless `T` can be an argument.
pub fn argument<T: Argument>() {}

/// Runs a blocking handler on tokio's blocking thread pool.
///
/// # Panics
/// Resumes a panic of the handler on the caller's task, which catches it like that of an async handler.
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
