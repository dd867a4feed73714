use std::borrow::Cow;

use inhouse_proto::redact::redact_text;

/// Replaces everything that looks like a secret with `***`.
pub(crate) fn redact(line: &str) -> Cow<'_, str> {
    redact_text(line, "***")
}
