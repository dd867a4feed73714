//! The rings of tests, from the protocol outwards.

use std::fmt;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Ring {
    /// The protocol and its recordings, without I/O
    Pure,
    /// The runtime with a scripted CLI in memory
    Behaviour,
    /// The runtime with a scripted CLI in a process
    Process,
    /// The examples of the documentation
    Doc,
    /// The real CLI with a scripted model
    Real,
    /// Stores and engines with real servers and emulators
    Durable,
    /// Served tools with official MCP clients and the conformance suite, the pages in a browser
    Foreign,
    /// One run of each soak test, with the real CLI
    Soak,
}

/// The packages whose tests need no runtime, no process and no network.
pub(crate) const PURE_PACKAGES: [&str; 2] = ["inhouse-proto", "xtask"];

impl Ring {
    /// Returns the ring of all tests in a test target.
    pub(crate) fn of(package: &str, target: &str) -> Self {
        match (package, target) {
            ("inhouse" | "inhouse-cli" | "inhouse-fleet", "real")
            | ("inhouse-testkit", "differential" | "scripted_model") => Self::Real,
            (_, "durable") => Self::Durable,
            (_, "soak") => Self::Soak,
            ("inhouse", "foreign") | ("inhouse-cli", "browser") => Self::Foreign,
            (_, "process") => Self::Process,
            (package, _) if PURE_PACKAGES.contains(&package) => Self::Pure,
            _ => Self::Behaviour,
        }
    }

    pub(crate) fn description(self) -> String {
        let value = self.to_possible_value();
        value
            .and_then(|value| value.get_help().map(ToString::to_string))
            .unwrap_or_default()
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(
            self.to_possible_value()
                .expect("no ring is skipped")
                .get_name(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_belongs_to_one_ring() {
        for (package, target, ring) in [
            ("inhouse-proto", "recordings", Ring::Pure),
            ("inhouse", "inhouse", Ring::Behaviour),
            ("inhouse", "process", Ring::Process),
            ("inhouse", "real", Ring::Real),
            ("inhouse", "soak", Ring::Soak),
            ("inhouse", "foreign", Ring::Foreign),
            ("inhouse-cli", "browser", Ring::Foreign),
            ("inhouse-cli", "command", Ring::Behaviour),
            ("inhouse-cli", "real", Ring::Real),
            ("inhouse-cli", "durable", Ring::Durable),
            ("inhouse-fleet", "durable", Ring::Durable),
            ("inhouse-fleet", "host", Ring::Behaviour),
            ("inhouse-fleet", "real", Ring::Real),
            ("inhouse-fleet", "soak", Ring::Soak),
            ("inhouse-restate", "durable", Ring::Durable),
            ("inhouse-restate", "inhouse_restate", Ring::Behaviour),
            ("inhouse-restate", "soak", Ring::Soak),
            ("inhouse-store", "durable", Ring::Durable),
            ("inhouse-store", "sqlite", Ring::Behaviour),
            ("inhouse-testkit", "differential", Ring::Real),
            ("inhouse-testkit", "scripted_model", Ring::Real),
            ("inhouse-testkit", "inhouse_testkit", Ring::Behaviour),
        ] {
            assert_eq!(Ring::of(package, target), ring, "{package} {target}");
        }
    }
}
