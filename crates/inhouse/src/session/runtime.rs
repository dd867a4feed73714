use std::panic::catch_unwind;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::error::{Error, Result};

/// Checks that the current runtime has timers, before anything is started in it.
///
/// # Errors
/// `Config` outside of a runtime, or if the time driver of the runtime is disabled.
pub(super) fn check_runtime() -> Result<()> {
    Handle::try_current().map_err(|error| {
        Error::config("a session needs a tokio runtime; call this inside of one").with_source(error)
    })?;
    // tokio offers no query for this, so its panic is caught. The panic hook still prints it, and
    // `panic = "abort"` aborts; in both cases nothing was started yet.
    catch_unwind(|| drop(sleep(Duration::ZERO))).map_err(|_| {
        Error::config(
            "the tokio runtime has no timers, which a session needs for its deadlines; enable them \
             with `enable_all` on `tokio::runtime::Builder`",
        )
    })
}
