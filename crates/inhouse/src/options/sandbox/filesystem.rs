use serde_json::Value;

use super::Members;

/// File access of sandboxed commands.
///
/// ```
/// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
/// use inhouse_testkit::fake::launch;
///
/// let files = SandboxFilesystem::new().deny_read(["/etc"]).allow_read(["/etc/ssl"]);
/// let cli = launch(Options::new().sandbox(SandboxSettings::new().filesystem(files)));
/// let expected = r#"{"sandbox":{"filesystem":{"allowRead":["/etc/ssl"],"denyRead":["/etc"]}}}"#;
/// assert!(cli.has_arg(&format!("--settings={expected}")));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "set it with `SandboxSettings::filesystem`"]
pub struct SandboxFilesystem(pub(super) Members);

impl SandboxFilesystem {
    /// Creates settings without members.
    ///
    /// ```
    /// use inhouse::options::SandboxFilesystem;
    ///
    /// // Without members, commands may write in the working directories.
    /// assert_eq!(SandboxFilesystem::new(), SandboxFilesystem::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds paths that commands may write, in addition to the working directories.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().allow_write(["/var/tmp"]);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"allowWrite":["/var/tmp"]}}}"#));
    /// ```
    pub fn allow_write<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowWrite", paths);
        self
    }

    /// Adds paths that commands may not write.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().deny_write(["./migrations"]);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"denyWrite":["./migrations"]}}}"#));
    /// ```
    pub fn deny_write<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("denyWrite", paths);
        self
    }

    /// Adds paths that commands may not read.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().deny_read(["~/.aws", "~/.ssh"]);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"denyRead":["~/.aws","~/.ssh"]}}}"#));
    /// ```
    pub fn deny_read<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("denyRead", paths);
        self
    }

    /// Adds paths that commands may read although they are below a path that they may not read.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().deny_read(["~"]).allow_read(["~/app"]);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"allowRead":["~/app"],"denyRead":["~"]}}}"#));
    /// ```
    pub fn allow_read<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowRead", paths);
        self
    }

    /// Sets a member that has no method, such as `disabled`.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().extra("disabled", true);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"disabled":true}}}"#));
    /// ```
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}
