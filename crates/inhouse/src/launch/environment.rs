use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;

/// Changes to the environment that a CLI inherits, to be made in the order of the fields.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// Whether to inherit nothing.
    pub clear: bool,
    /// Variables not to inherit.
    pub remove: BTreeSet<OsString>,
    /// Variables to set.
    pub set: BTreeMap<OsString, OsString>,
}

/// Shows names and no values.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("clear", &self.clear)
            .field("remove", &self.remove)
            .field("set", &self.set.keys())
            .finish()
    }
}
