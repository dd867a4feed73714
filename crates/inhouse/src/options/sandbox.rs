mod credentials;
mod filesystem;
mod network;

use serde_json::{Map, Value, json};

pub use self::credentials::{CredentialMode, SandboxCredentials};
pub use self::filesystem::SandboxFilesystem;
pub use self::network::SandboxNetwork;
use super::Options;

/// Options for the sandbox of the operating system.
impl Options {
    /// Runs commands in a sandbox of the operating system.
    ///
    /// The options are merged over the `sandbox` object of [`settings`](Self::settings). If the
    /// settings are a file, the file is read at launch and its content is passed to the CLI. Default:
    /// the sandbox of the settings, else none.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().sandbox(SandboxSettings::enabled()));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"enabled":true,"failIfUnavailable":true}}"#));
    /// ```
    pub fn sandbox(mut self, sandbox: SandboxSettings) -> Self {
        self.sandbox = Some(sandbox);
        self
    }
}

/// Settings of the sandbox in which the CLI runs commands.
///
/// An enabled sandbox that the machine does not support ends the session, unless
/// [`fail_if_unavailable`](Self::fail_if_unavailable) is `false` here or in the settings.
///
/// ```
/// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
/// use inhouse_testkit::fake::launch;
///
/// let network = SandboxNetwork::new().allow_domains(["crates.io", "*.rust-lang.org"]);
/// let sandbox = SandboxSettings::enabled().auto_allow_bash(true).network(network);
/// let cli = launch(Options::new().sandbox(sandbox));
/// assert!(cli.args().iter().any(|arg| arg.contains(r#""allowedDomains":["crates.io""#)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "set it with `Options::sandbox`"]
pub struct SandboxSettings(pub(crate) Members);

impl SandboxSettings {
    /// Creates settings without members, for changes to a sandbox that other settings enable.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// // The settings enable the sandbox, and this changes one member.
    /// let sandbox = SandboxSettings::new().auto_allow_bash(true);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"autoAllowBashIfSandboxed":true}}"#));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates settings that enable the sandbox.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::enabled();
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"enabled":true,"failIfUnavailable":true}}"#));
    /// ```
    pub fn enabled() -> Self {
        Self::new().extra("enabled", true)
    }

    /// Creates settings that disable the sandbox, also if other settings enable it.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::disabled();
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"enabled":false}}"#));
    /// ```
    pub fn disabled() -> Self {
        Self::new().extra("enabled", false)
    }

    /// Sets whether the session ends if the machine supports no sandbox.
    ///
    /// Default: the value of the settings, else `true` for an enabled sandbox.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::enabled().fail_if_unavailable(false);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"enabled":true,"failIfUnavailable":false}}"#));
    /// ```
    pub fn fail_if_unavailable(self, fail: bool) -> Self {
        self.extra("failIfUnavailable", fail)
    }

    /// Sets whether sandboxed commands run without a permission request.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().auto_allow_bash(false);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"autoAllowBashIfSandboxed":false}}"#));
    /// ```
    pub fn auto_allow_bash(self, allow: bool) -> Self {
        self.extra("autoAllowBashIfSandboxed", allow)
    }

    /// Sets whether the model may request to run a command outside the sandbox.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().allow_unsandboxed_commands(false);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"allowUnsandboxedCommands":false}}"#));
    /// ```
    pub fn allow_unsandboxed_commands(self, allow: bool) -> Self {
        self.extra("allowUnsandboxedCommands", allow)
    }

    /// Adds commands that always run outside the sandbox.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().exclude_commands(["docker", "make deploy"]);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"excludedCommands":["docker","make deploy"]}}"#));
    /// ```
    pub fn exclude_commands<S: Into<String>>(
        mut self,
        commands: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.extend_strings("excludedCommands", commands);
        self
    }

    /// Sets the network access of sandboxed commands.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().allow_local_binding(true);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"allowLocalBinding":true}}}"#));
    /// ```
    pub fn network(self, network: SandboxNetwork) -> Self {
        self.extra("network", network.0.0)
    }

    /// Sets the file access of sandboxed commands.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxFilesystem, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let files = SandboxFilesystem::new().deny_read(["~/.ssh"]);
    /// let sandbox = SandboxSettings::new().filesystem(files);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"filesystem":{"denyRead":["~/.ssh"]}}}"#));
    /// ```
    pub fn filesystem(self, filesystem: SandboxFilesystem) -> Self {
        self.extra("filesystem", filesystem.0.0)
    }

    /// Sets the credentials that are hidden from sandboxed commands.
    ///
    /// ```
    /// use inhouse::options::{CredentialMode, Options, SandboxCredentials, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let key = SandboxCredentials::new().file("~/.netrc", CredentialMode::Deny);
    /// let sandbox = SandboxSettings::new().credentials(key);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"credentials":{"files":[{"mode":"deny","path":"~/.netrc"}]}}}"#));
    /// ```
    pub fn credentials(self, credentials: SandboxCredentials) -> Self {
        self.extra("credentials", credentials.0.0)
    }

    /// Suppresses reports of violations of these paths by this command; `*` is every command.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().ignore_violations("*", ["/usr/bin"]);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"ignoreViolations":{"*":["/usr/bin"]}}}"#));
    /// ```
    pub fn ignore_violations<S: Into<String>>(
        mut self,
        command: impl Into<String>,
        paths: impl IntoIterator<Item = S>,
    ) -> Self {
        let paths: Vec<String> = paths.into_iter().map(Into::into).collect();
        let ignored = self.0.0.entry("ignoreViolations");
        ignored.or_insert_with(|| json!({}))[command.into()] = json!(paths);
        self
    }

    /// Sets whether to use a weaker sandbox inside a container.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().enable_weaker_nested_sandbox(true);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"enableWeakerNestedSandbox":true}}"#));
    /// ```
    pub fn enable_weaker_nested_sandbox(self, enable: bool) -> Self {
        self.extra("enableWeakerNestedSandbox", enable)
    }

    /// Sets a member that has no method, such as `ripgrep` or `bwrapPath`.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let sandbox = SandboxSettings::new().extra("bwrapPath", "/opt/bwrap");
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"bwrapPath":"/opt/bwrap"}}"#));
    /// ```
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// Members of a JSON object in the settings, by their wire names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Members(pub(crate) Map<String, Value>);

impl Members {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Appends to a list, which is created if it does not exist.
    fn extend(&mut self, name: &str, values: impl IntoIterator<Item = Value>) {
        match self.0.get_mut(name) {
            Some(Value::Array(list)) => list.extend(values),
            _ => self.set(name, values.into_iter().collect::<Vec<Value>>()),
        }
    }

    fn extend_strings<S: Into<String>>(&mut self, name: &str, values: impl IntoIterator<Item = S>) {
        self.extend(
            name,
            values.into_iter().map(|value| Value::String(value.into())),
        );
    }
}
