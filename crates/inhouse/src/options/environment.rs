use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use super::Options;
use super::hidden::Hidden;

#[derive(Clone, Debug, Default)]
pub(crate) struct EnvironmentOptions {
    pub(crate) clean: bool,
    pub(crate) removed: BTreeSet<OsString>,
    pub(crate) set: BTreeMap<OsString, Hidden<OsString>>,
}

/// The environment of the CLI.
///
/// It inherits the host's, with some changes that [`launch`](crate::launch) lists; what is set or
/// removed here wins over all of it.
impl Options {
    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.environment.removed.remove(&name);
        self.environment.set.insert(name, Hidden(value.into()));
        self
    }

    /// Sets several variables.
    #[must_use]
    pub fn envs<K, V>(self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        variables
            .into_iter()
            .fold(self, |options, (name, value)| options.env(name, value))
    }

    /// Removes a variable, inherited or set by inhouse.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        let name = name.into();
        self.environment.set.remove(&name);
        self.environment.removed.insert(name);
        self
    }

    /// Inherits nothing: only what is set here, and what inhouse sets itself.
    ///
    /// That includes `PATH` and `HOME`, without which few tools work.
    #[must_use]
    pub fn clean_env(mut self) -> Self {
        self.environment.clean = true;
        self
    }
}
