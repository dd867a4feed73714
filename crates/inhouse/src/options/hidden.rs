use std::fmt;

/// A value that `Debug` does not show: prompts, environment values, what may hold a secret, and
/// callbacks.
#[derive(Clone, Default)]
pub(crate) struct Hidden<T>(pub(crate) T);

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}
