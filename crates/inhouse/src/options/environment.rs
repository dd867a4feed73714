use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use super::Options;
use super::redacted::Redacted;

#[derive(Clone, Debug, Default)]
pub(crate) struct EnvironmentOptions {
    pub(crate) clean: bool,
    pub(crate) removed: BTreeSet<OsString>,
    pub(crate) set: BTreeMap<OsString, Redacted<OsString>>,
}

impl EnvironmentOptions {
    /// Sets a variable, whatever the user has said about it.
    pub(crate) fn override_with(&mut self, name: &str, value: impl Into<OsString>) {
        self.removed.remove(OsStr::new(name));
        self.set.insert(name.into(), Redacted(value.into()));
    }
}

/// Options for the environment of the CLI.
///
/// The CLI inherits the environment of the host, with the changes that [`launch`](crate::launch)
/// lists. These options take precedence over all of them.
impl Options {
    /// Sets an environment variable of the CLI.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().env("RUST_LOG", "debug"));
    /// assert_eq!(cli.env("RUST_LOG"), Some("debug"));
    /// ```
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.environment.removed.remove(&name);
        self.environment.set.insert(name, Redacted(value.into()));
        self
    }

    /// Sets several environment variables of the CLI.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().envs([("LANG", "C"), ("TZ", "UTC")]));
    /// assert_eq!((cli.env("LANG"), cli.env("TZ")), (Some("C"), Some("UTC")));
    /// ```
    pub fn envs<K, V>(self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        variables
            .into_iter()
            .fold(self, |options, (name, value)| options.env(name, value))
    }

    /// Removes an environment variable that the CLI would inherit or that inhouse would set.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().env_remove("SECRET"));
    /// assert!(cli.removes_env("SECRET"));
    /// ```
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        let name = name.into();
        self.environment.set.remove(&name);
        self.environment.removed.insert(name);
        self
    }

    /// Starts the CLI without the environment of the host.
    ///
    /// The CLI gets only the variables of [`env`](Self::env) and those that inhouse sets. Set `PATH`
    /// and `HOME` as well: few tools work without them.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let plan = Plan::for_transport(&Options::new().clean_env().env("PATH", "/usr/bin"))?;
    /// assert!(plan.launch.command.env.clear);
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn clean_env(mut self) -> Self {
        self.environment.clean = true;
        self
    }
}
