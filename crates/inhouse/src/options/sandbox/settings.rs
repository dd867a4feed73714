use serde_json::{Value, json};

use super::{Block, SandboxCredentials, SandboxFilesystem, SandboxNetwork};

/// How commands are confined by the operating system.
///
/// ```
/// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
///
/// let options = Options::new().sandbox(
///     SandboxSettings::enabled()
///         .auto_allow_bash(true)
///         .network(SandboxNetwork::new().allow_domains(["crates.io", "*.rust-lang.org"])),
/// );
/// # let _ = options;
/// ```
///
/// An enabled sandbox that the machine does not support ends the session, unless
/// [`fail_if_unavailable`](Self::fail_if_unavailable) says otherwise here or in the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SandboxSettings(pub(crate) Block);

impl SandboxSettings {
    /// Nothing set, for changes to a sandbox that the settings enable.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A sandbox that is on.
    #[must_use]
    pub fn enabled() -> Self {
        Self::new().extra("enabled", true)
    }

    /// A sandbox that is off, whatever the settings say.
    #[must_use]
    pub fn disabled() -> Self {
        Self::new().extra("enabled", false)
    }

    /// Whether the session ends when the machine has no sandbox.
    #[must_use]
    pub fn fail_if_unavailable(self, fail: bool) -> Self {
        self.extra("failIfUnavailable", fail)
    }

    /// Whether commands in the sandbox run without asking.
    #[must_use]
    pub fn auto_allow_bash(self, allow: bool) -> Self {
        self.extra("autoAllowBashIfSandboxed", allow)
    }

    /// Whether the model may ask to run a command outside of the sandbox.
    #[must_use]
    pub fn allow_unsandboxed_commands(self, allow: bool) -> Self {
        self.extra("allowUnsandboxedCommands", allow)
    }

    /// Adds commands that always run outside of the sandbox.
    #[must_use]
    pub fn exclude_commands<S: Into<String>>(
        mut self,
        commands: impl IntoIterator<Item = S>,
    ) -> Self {
        let commands = commands.into_iter().map(Into::<String>::into);
        self.0.extend("excludedCommands", commands);
        self
    }

    /// What commands may reach on the network.
    #[must_use]
    pub fn network(mut self, network: SandboxNetwork) -> Self {
        self.0.set("network", network.0.0);
        self
    }

    /// Which files commands may read and write.
    #[must_use]
    pub fn filesystem(mut self, filesystem: SandboxFilesystem) -> Self {
        self.0.set("filesystem", filesystem.0.0);
        self
    }

    /// Which credentials commands do not get to see.
    #[must_use]
    pub fn credentials(mut self, credentials: SandboxCredentials) -> Self {
        self.0.set("credentials", credentials.0.0);
        self
    }

    /// Does not report violations of these paths by this command; `*` is every command.
    #[must_use]
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

    /// Whether to make do with a weaker sandbox inside of a container.
    #[must_use]
    pub fn enable_weaker_nested_sandbox(self, enable: bool) -> Self {
        self.extra("enableWeakerNestedSandbox", enable)
    }

    /// Sets a member that has no method here, such as `ripgrep` or `bwrapPath`.
    #[must_use]
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}
