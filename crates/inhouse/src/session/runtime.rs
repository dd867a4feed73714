use std::panic::catch_unwind;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::error::{Error, Result};

/// Checks that the current runtime can keep deadlines, before anything is started in it.
///
/// # Errors
/// `Config` outside of a runtime, and in one whose time driver is disabled.
pub(super) fn check() -> Result<()> {
    Handle::try_current().map_err(|error| {
        Error::config("a session needs a tokio runtime; call this inside of one").with_source(error)
    })?;
    // tokio offers no query for this, so its panic is caught. The panic hook still prints it, and
    // `panic = "abort"` aborts; in both cases nothing was started yet.
    catch_unwind(|| drop(sleep(Duration::ZERO))).map_err(|_| {
        Error::config(
            "the tokio runtime has no timers, which a session needs for its deadlines; enable them \
             when you build it: `enable_all` on `tokio::runtime::Builder`",
        )
    })
}
