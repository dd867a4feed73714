use std::time::Duration;

use super::plan::Builder;
use super::{HostEnvironment, environment};
use crate::options::Options;

const BACKGROUND_CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
/// The default time for a control request, and for the start of the CLI.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const DEFAULT_BACKGROUND_CEILING: Duration = Duration::from_secs(600);

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    if let Some(ceiling) = options.timeouts.background_ceiling {
        builder.set_env(BACKGROUND_CEILING, ceiling.as_millis().to_string());
    }
}

/// Returns how long to wait for background tasks; `None` is no limit.
pub(super) fn background_ceiling(options: &Options, host: &HostEnvironment) -> Option<Duration> {
    let from_variable = || {
        let text = environment::child_variable(options, host, BACKGROUND_CEILING)?;
        let millis = text.to_str()?.trim().parse().ok()?;
        Some(Duration::from_millis(millis))
    };
    let ceiling = options
        .timeouts
        .background_ceiling
        .or_else(from_variable)
        .unwrap_or(DEFAULT_BACKGROUND_CEILING);
    (!ceiling.is_zero()).then_some(ceiling)
}
