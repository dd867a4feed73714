use serde_json::Value;

use super::Members;

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
pub struct SandboxNetwork(pub(super) Members);

impl SandboxNetwork {
    /// Creates settings without members.
    ///
    /// ```
    /// use inhouse::options::SandboxNetwork;
    ///
    /// // Without members nothing changes: the settings decide, or the CLI asks.
    /// assert_eq!(SandboxNetwork::new(), SandboxNetwork::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds domains that commands may connect to.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().allow_domains(["crates.io", "*.github.com"]);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"allowedDomains":["crates.io","*.github.com"]}}}"#));
    /// ```
    pub fn allow_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("allowedDomains", domains);
        self
    }

    /// Adds domains that commands may not connect to.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().deny_domains(["example.com"]);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"deniedDomains":["example.com"]}}}"#));
    /// ```
    pub fn deny_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.0.extend_strings("deniedDomains", domains);
        self
    }

    /// Sets whether domains that are not allowed are denied without a permission request.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().strict_allowlist(true);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"strictAllowlist":true}}}"#));
    /// ```
    pub fn strict_allowlist(self, strict: bool) -> Self {
        self.extra("strictAllowlist", strict)
    }

    /// Adds Unix sockets that commands may connect to.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().allow_unix_sockets(["/run/docker.sock"]);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"allowUnixSockets":["/run/docker.sock"]}}}"#));
    /// ```
    pub fn allow_unix_sockets<S: Into<String>>(
        mut self,
        paths: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.extend_strings("allowUnixSockets", paths);
        self
    }

    /// Sets whether commands may connect to every Unix socket.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().allow_all_unix_sockets(false);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"allowAllUnixSockets":false}}}"#));
    /// ```
    pub fn allow_all_unix_sockets(self, allow: bool) -> Self {
        self.extra("allowAllUnixSockets", allow)
    }

    /// Sets whether commands may listen on local ports.
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
    pub fn allow_local_binding(self, allow: bool) -> Self {
        self.extra("allowLocalBinding", allow)
    }

    /// Sets the port of an HTTP proxy to use instead of the CLI's own proxy.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().http_proxy_port(3128);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"httpProxyPort":3128}}}"#));
    /// ```
    pub fn http_proxy_port(self, port: u16) -> Self {
        self.extra("httpProxyPort", port)
    }

    /// Sets the port of a SOCKS proxy to use instead of the CLI's own proxy.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let network = SandboxNetwork::new().socks_proxy_port(1080);
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"socksProxyPort":1080}}}"#));
    /// ```
    pub fn socks_proxy_port(self, port: u16) -> Self {
        self.extra("socksProxyPort", port)
    }

    /// Sets a member that has no method, such as `tlsTerminate`.
    ///
    /// ```
    /// use inhouse::options::{Options, SandboxNetwork, SandboxSettings};
    /// use inhouse_testkit::fake::launch;
    /// use serde_json::json;
    ///
    /// let network = SandboxNetwork::new().extra("tlsTerminate", json!({}));
    /// let sandbox = SandboxSettings::new().network(network);
    /// let cli = launch(Options::new().sandbox(sandbox));
    /// assert!(cli.has_arg(r#"--settings={"sandbox":{"network":{"tlsTerminate":{}}}}"#));
    /// ```
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}
