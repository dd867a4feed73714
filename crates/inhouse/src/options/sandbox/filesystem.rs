use serde_json::Value;

use super::Block;

/// Which files sandboxed commands may read and write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SandboxFilesystem(pub(super) Block);

impl SandboxFilesystem {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds paths that may be written, besides the working directories.
    #[must_use]
    pub fn allow_write<S: Into<String>>(self, paths: impl IntoIterator<Item = S>) -> Self {
        self.add("allowWrite", paths)
    }

    /// Adds paths that may not be written.
    #[must_use]
    pub fn deny_write<S: Into<String>>(self, paths: impl IntoIterator<Item = S>) -> Self {
        self.add("denyWrite", paths)
    }

    /// Adds paths that may not be read.
    #[must_use]
    pub fn deny_read<S: Into<String>>(self, paths: impl IntoIterator<Item = S>) -> Self {
        self.add("denyRead", paths)
    }

    /// Adds paths that may be read although they lie below one that may not.
    #[must_use]
    pub fn allow_read<S: Into<String>>(self, paths: impl IntoIterator<Item = S>) -> Self {
        self.add("allowRead", paths)
    }

    /// Sets a member that has no method here, such as `disabled`.
    #[must_use]
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }

    fn add<S: Into<String>>(mut self, name: &str, paths: impl IntoIterator<Item = S>) -> Self {
        self.0
            .extend(name, paths.into_iter().map(Into::<String>::into));
        self
    }
}
