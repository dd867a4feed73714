use serde_json::Value;

use super::Block;

/// What sandboxed commands may reach on the network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SandboxNetwork(pub(super) Block);

impl SandboxNetwork {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds domains that may be reached.
    #[must_use]
    pub fn allow_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        let domains = domains.into_iter().map(Into::<String>::into);
        self.0.extend("allowedDomains", domains);
        self
    }

    /// Adds domains that may not be reached.
    #[must_use]
    pub fn deny_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        let domains = domains.into_iter().map(Into::<String>::into);
        self.0.extend("deniedDomains", domains);
        self
    }

    /// Whether domains that are not allowed are denied without asking.
    #[must_use]
    pub fn strict_allowlist(self, strict: bool) -> Self {
        self.extra("strictAllowlist", strict)
    }

    /// Adds Unix sockets that may be used.
    #[must_use]
    pub fn allow_unix_sockets<S: Into<String>>(
        mut self,
        paths: impl IntoIterator<Item = S>,
    ) -> Self {
        let paths = paths.into_iter().map(Into::<String>::into);
        self.0.extend("allowUnixSockets", paths);
        self
    }

    /// Whether every Unix socket may be used.
    #[must_use]
    pub fn allow_all_unix_sockets(self, allow: bool) -> Self {
        self.extra("allowAllUnixSockets", allow)
    }

    /// Whether commands may listen on local ports.
    #[must_use]
    pub fn allow_local_binding(self, allow: bool) -> Self {
        self.extra("allowLocalBinding", allow)
    }

    /// The port of an HTTP proxy of your own.
    #[must_use]
    pub fn http_proxy_port(self, port: u16) -> Self {
        self.extra("httpProxyPort", port)
    }

    /// The port of a SOCKS proxy of your own.
    #[must_use]
    pub fn socks_proxy_port(self, port: u16) -> Self {
        self.extra("socksProxyPort", port)
    }

    /// Sets a member that has no method here, such as `tlsTerminate`.
    #[must_use]
    pub fn extra(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.0.set(name.as_ref(), value);
        self
    }
}
