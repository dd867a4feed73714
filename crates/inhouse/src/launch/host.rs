use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// The environment that a CLI inherits.
///
/// [`current`](Self::current) is that of the host; a test makes its own.
#[derive(Clone, Default)]
pub struct HostEnvironment(BTreeMap<OsString, OsString>);

impl HostEnvironment {
    /// The environment of this process.
    #[must_use]
    pub fn current() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.keys().map(OsString::as_os_str)
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for HostEnvironment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let variables = variables.into_iter();
        Self(
            variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// Shows names and no values.
impl fmt::Debug for HostEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
