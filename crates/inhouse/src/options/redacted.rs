use std::fmt;

/// A value that `Debug` does not show: prompts, environment values, callbacks, and any value that
/// may contain a secret.
#[derive(Clone, Default)]
pub(crate) struct Redacted<T>(pub(crate) T);

impl<T> fmt::Debug for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}
