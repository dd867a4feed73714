/// A version of the CLI and its npm package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    /// The version that the CLI reports; also its directory in the cache.
    pub(super) version: &'static str,
    /// The environment variable with the path of a binary to use instead.
    pub(super) override_variable: &'static str,
    package: &'static str,
    package_version: &'static str,
    /// The hash of the package for each platform, as `npm view <package> dist.integrity` printed it when the version was pinned.
    integrity: [(&'static str, &'static str); 8],
}

impl Release {
    /// The version that the kit is tested with.
    pub(super) const PINNED: Self = Self {
        version: "2.1.325",
        override_variable: "INHOUSE_REAL_CLI",
        package: "@anthropic-ai/claude-agent-sdk",
        package_version: "0.3.325",
        integrity: [
            (
                "linux-x64",
                "sha512-wXEWbDmNYiorY5EKASYjvQct8zHShUPmAS9N/IAsgPA/cx2vsOFqPQw8jRQKeaW6AmFgx7k/Wf7THalNXbMEkQ==",
            ),
            (
                "linux-arm64",
                "sha512-28oVrCEN6M6MJP8Od4SK/scal1QdLbn5Sci+qL8j55l6csHtPeUYF9zdjWLniFKph43pejfZf5te/Vf/bwehkw==",
            ),
            (
                "linux-x64-musl",
                "sha512-BHewYUTd7mDLR5iHTVt6Q28gJKLC5C24b1H3NM0qGt9dxnjVUh1Lza52GzHY2Rb9hAPQymLSXWuVh1OFoFQatA==",
            ),
            (
                "linux-arm64-musl",
                "sha512-72y6QNRZC4eMCxne/wNsuwNHsViSkgFKlYMCUVXxmiR9gpIMd3rf++oJMIsSuEAQqzqT7jwCrdtibv6R4bx5PA==",
            ),
            (
                "darwin-x64",
                "sha512-HD3YRFyM5H5QH2usS/WD6gobk3BEp2jq9dKyrkhAVdQIqFMlrcSrRhGA0i3R1IOLxtPAYkmDGepZ62k1kMOW9Q==",
            ),
            (
                "darwin-arm64",
                "sha512-0u8bTug2zH+zWE8CMiFrm/ldmH20uA9B/zhXpI7ATHFJnpPMdwTqE56CFM0m3LOwnNum0jpRn7XV1dn6Pf2pqA==",
            ),
            (
                "win32-x64",
                "sha512-pjqVL++V/2oMJ6u1HdB608bcTUvzts1e8hX93Q8khasy2JB+R823bnvpQapcOurOWB3+v1X2JXIjXyWcGPJCQQ==",
            ),
            (
                "win32-arm64",
                "sha512-NH3I2o105oKK8lfJ5RlzCp+YTZn3qncwQ1xSzQ4jqn7LUddThIidpFU7B+TKQxh1X9eayAp7EtrBQ36mXflQwQ==",
            ),
        ],
    };

    /// The oldest supported version.
    pub(super) const OLDEST: Self = Self {
        version: "2.1.197",
        override_variable: "INHOUSE_REAL_CLI_OLDEST",
        package: "@anthropic-ai/claude-code",
        package_version: "2.1.197",
        integrity: [
            (
                "linux-x64",
                "sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
            ),
            (
                "linux-arm64",
                "sha512-sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
            ),
            (
                "linux-x64-musl",
                "sha512-/Ij3+inZf96Lb1BLnO0rWArRi1HqIMh6HeGrQoykrp7a8Yj0SA1EQIO42kpNeVxM9z3o3xUaiIf0FRMzLIp6oQ==",
            ),
            (
                "linux-arm64-musl",
                "sha512-r3taVK9rDaMahHkrCGV8wF1Sjphs7fqXy2ZEznyDGxUqeW6HxgkbG7dPplXnwwGiMTdYLrtQTQMN21ZTxcVHBA==",
            ),
            (
                "darwin-x64",
                "sha512-DOPeGTQqJWVENJsxwMxJtLOx+7OBINEDg9trQldlJR1nBssaYzNj1WWxp37JYSBRjeYLhqLipvDqEA0LMglL7A==",
            ),
            (
                "darwin-arm64",
                "sha512-1FOVhJzkKGWgOEEsvaK3ylCEmjKeJiXwfKl7RtNEbiDj7OxhRQ1G1CLN0HGDTTq1QwY+Dm2x1Yscdv5NfobAxQ==",
            ),
            (
                "win32-x64",
                "sha512-bH/146HdS+MO2ndTvljKUJQbcKuvOWujH02WiLkhQJmo/YJLTCMnn1P/jxjjv6W9y/+LGxN58SfdHa6zobatTw==",
            ),
            (
                "win32-arm64",
                "sha512-P/1y1JcBSKNRt9asd0bhGRwLdD7yLnq9BlXdA0KHC+0zTm/WPqsCHupt8C7f7adb14//dVlkkbRT+9F5Iup/qA==",
            ),
        ],
    };

    /// Returns the name of the packages, without the platform.
    pub(super) fn package_name(&self) -> &'static str {
        self.package
    }

    /// Returns the package for a platform, as npm names it, and its hash; `None` if there is no package.
    pub(super) fn package(&self, platform: &str) -> Option<(String, &'static str)> {
        let mut hashes = self.integrity.iter();
        let (_, integrity) = hashes.find(|(name, _)| *name == platform)?;
        let package = format!("{}-{platform}@{}", self.package, self.package_version);
        Some((package, integrity))
    }
}

/// The file name of the binary in the packages and in the cache.
pub(super) const BINARY: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};
