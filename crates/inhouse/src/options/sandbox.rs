use serde_json::{Map, Value, json};

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
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates settings that enable the sandbox.
    pub fn enabled() -> Self {
        Self::new().extra("enabled", true)
    }

    /// Creates settings that disable the sandbox, also if other settings enable it.
    pub fn disabled() -> Self {
        Self::new().extra("enabled", false)
    }

    /// Sets whether the session ends if the machine supports no sandbox.
    ///
    /// Default: the value of the settings, else `true` for an enabled sandbox.
    pub fn fail_if_unavailable(self, fail: bool) -> Self {
        self.extra("failIfUnavailable", fail)
    }

    /// Sets whether sandboxed commands run without a permission request.
    pub fn auto_allow_bash(self, allow: bool) -> Self {
        self.extra("autoAllowBashIfSandboxed", allow)
    }

    /// Sets whether the model may request to run a command outside the sandbox.
    pub fn allow_unsandboxed_commands(self, allow: bool) -> Self {
        self.extra("allowUnsandboxedCommands", allow)
    }

    /// Adds commands that always run outside the sandbox.
    pub fn exclude_commands<S: Into<String>>(
        mut self,
        commands: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.extend_strings("excludedCommands", commands);
        self
    }

    /// Sets the network access of sandboxed commands.
    pub fn network(self, network: SandboxNetwork) -> Self {
        self.extra("network", network.0.0)
    }

    /// Sets the file access of sandboxed commands.
    pub fn filesystem(self, filesystem: SandboxFilesystem) -> Self {
        self.extra("filesystem", filesystem.0.0)
    }

    /// Sets the credentials that are hidden from sandboxed commands.
    pub fn credentials(self, credentials: SandboxCredentials) -> Self {
        self.extra("credentials", credentials.0.0)
    }

    /// Suppresses reports of violations of these paths by this command; `*` is every command.
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
    pub fn enable_weaker_nested_sandbox(self, enable: bool) -> Self {
        self.extra("enableWeakerNestedSandbox", enable)
    }

    /// Sets a member that has no method, such as `ripgrep` or `bwrapPath`.
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// Network access of sandboxed commands.
///
/// ```
/// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
/// use inhouse_testkit::fake::launch;
///
/// let network = SandboxNetwork::new().allow_domains(["crates.io"]).strict_allowlist(true);
/// let cli = launch(Options::new().sandbox(SandboxSettings::new().network(network)));
/// let expected = r#"{"sandbox":{"network":{"allowedDomains":["crates.io"],"strictAllowlist":true}}}"#;
/// assert!(cli.has_arg(&format!("--settings={expected}")));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "set it with `SandboxSettings::network`"]
pub struct SandboxNetwork(Members);

impl SandboxNetwork {
    /// Creates settings without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds domains that commands may connect to.
    pub fn allow_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowedDomains", domains);
        self
    }

    /// Adds domains that commands may not connect to.
    pub fn deny_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("deniedDomains", domains);
        self
    }

    /// Sets whether domains that are not allowed are denied without a permission request.
    pub fn strict_allowlist(self, strict: bool) -> Self {
        self.extra("strictAllowlist", strict)
    }

    /// Adds Unix sockets that commands may connect to.
    pub fn allow_unix_sockets<S: Into<String>>(
        mut self,
        paths: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.extend_strings("allowUnixSockets", paths);
        self
    }

    /// Sets whether commands may connect to every Unix socket.
    pub fn allow_all_unix_sockets(self, allow: bool) -> Self {
        self.extra("allowAllUnixSockets", allow)
    }

    /// Sets whether commands may listen on local ports.
    pub fn allow_local_binding(self, allow: bool) -> Self {
        self.extra("allowLocalBinding", allow)
    }

    /// Sets the port of an HTTP proxy to use instead of the CLI's own proxy.
    pub fn http_proxy_port(self, port: u16) -> Self {
        self.extra("httpProxyPort", port)
    }

    /// Sets the port of a SOCKS proxy to use instead of the CLI's own proxy.
    pub fn socks_proxy_port(self, port: u16) -> Self {
        self.extra("socksProxyPort", port)
    }

    /// Sets a member that has no method, such as `tlsTerminate`.
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

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
pub struct SandboxFilesystem(Members);

impl SandboxFilesystem {
    /// Creates settings without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds paths that commands may write, in addition to the working directories.
    pub fn allow_write<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowWrite", paths);
        self
    }

    /// Adds paths that commands may not write.
    pub fn deny_write<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("denyWrite", paths);
        self
    }

    /// Adds paths that commands may not read.
    pub fn deny_read<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("denyRead", paths);
        self
    }

    /// Adds paths that commands may read although they are below a path that they may not read.
    pub fn allow_read<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowRead", paths);
        self
    }

    /// Sets a member that has no method, such as `disabled`.
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// Credentials that are hidden from sandboxed commands.
///
/// ```
/// use inhouse::options::{CredentialMode, Options, SandboxCredentials, SandboxSettings};
/// use inhouse_testkit::fake::launch;
///
/// let credentials = SandboxCredentials::new().env_var("API_TOKEN", CredentialMode::Mask);
/// let cli = launch(Options::new().sandbox(SandboxSettings::new().credentials(credentials)));
/// let expected = r#"{"sandbox":{"credentials":{"envVars":[{"mode":"mask","name":"API_TOKEN"}]}}}"#;
/// assert!(cli.has_arg(&format!("--settings={expected}")));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "set it with `SandboxSettings::credentials`"]
pub struct SandboxCredentials(Members);

impl SandboxCredentials {
    /// Creates settings without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file that contains credentials.
    pub fn file(mut self, path: impl Into<String>, mode: CredentialMode) -> Self {
        let file = json!({"path": path.into(), "mode": mode.as_str()});
        self.0.extend("files", [file]);
        self
    }

    /// Adds an environment variable that contains a credential.
    pub fn env_var(mut self, name: impl Into<String>, mode: CredentialMode) -> Self {
        let variable = json!({"name": name.into(), "mode": mode.as_str()});
        self.0.extend("envVars", [variable]);
        self
    }

    /// Sets a member that has no method, such as `awsPairs`, or a list of `files` with more members
    /// than a path and a mode.
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}

/// How a credential is hidden from sandboxed commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialMode {
    /// The credential cannot be read.
    Deny,
    /// Commands see a placeholder, which is replaced with the credential in network requests.
    Mask,
}

impl CredentialMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Mask => "mask",
        }
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
