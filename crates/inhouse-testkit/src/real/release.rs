/// A version of the CLI and its npm package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    /// The version that the CLI reports; also its directory in the cache.
    pub(super) version: &'static str,
    /// The environment variable with the path of a binary to use instead.
    pub(super) override_variable: &'static str,
    package: &'static str,
    package_version: &'static str,
}

impl Release {
    /// The version that the kit is tested with.
    pub(super) const PINNED: Self = Self {
        version: "2.1.325",
        override_variable: "INHOUSE_REAL_CLI",
        package: "@anthropic-ai/claude-agent-sdk",
        package_version: "0.3.325",
    };

    /// The oldest supported version.
    pub(super) const OLDEST: Self = Self {
        version: "2.1.197",
        override_variable: "INHOUSE_REAL_CLI_OLDEST",
        package: "@anthropic-ai/claude-code",
        package_version: "2.1.197",
    };

    /// Returns the npm package specifier for a platform.
    pub(super) fn npm_spec(&self, platform: &str) -> String {
        format!("{}-{platform}@{}", self.package, self.package_version)
    }
}

/// The file name of the binary in the packages and in the cache.
pub(super) const BINARY: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};
