//! File work on the threads that tokio keeps for it.

use std::io;
use std::panic::resume_unwind;
use std::path::Path;

use tokio::runtime::Handle;

use crate::error::{Error, ErrorKind, Result};

/// Runs file work on a thread for blocking work.
///
/// # Errors
/// `Config` outside of a tokio runtime; `Closed` if the runtime shuts down.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let runtime = Handle::try_current().map_err(|error| {
        Error::config("the session functions need a tokio runtime; call them inside of one")
            .with_source(error)
    })?;
    match runtime.spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => {
                Err(Error::new(ErrorKind::Closed, "the runtime was shut down").with_source(error))
            }
        },
    }
}

/// Returns the error of a failed file operation, such as `read`.
pub(super) fn file_error(operation: &str, path: &Path, error: io::Error) -> Error {
    let message = format!("cannot {operation} {}", path.display());
    Error::new(ErrorKind::Store, message).with_source(error)
}
