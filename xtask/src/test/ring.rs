//! The rings of tests, from the pure centre outwards.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ring {
    Pure,
    Behaviour,
    Process,
    Doc,
    Real,
    Foreign,
    Soak,
}

/// The packages whose tests need no runtime, no process and no network.
pub(crate) const PURE_PACKAGES: [&str; 2] = ["inhouse-proto", "xtask"];

impl Ring {
    pub(crate) const ALL: [Self; 7] = [
        Self::Pure,
        Self::Behaviour,
        Self::Process,
        Self::Doc,
        Self::Real,
        Self::Foreign,
        Self::Soak,
    ];

    /// The ring to which all tests of one test target belong.
    pub(crate) fn of(package: &str, target: &str) -> Self {
        match (package, target) {
            ("inhouse", "real") | ("inhouse-testkit", "scripted_model") => Self::Real,
            ("inhouse", "soak") => Self::Soak,
            ("inhouse", "foreign") => Self::Foreign,
            (_, "process") => Self::Process,
            (package, _) if PURE_PACKAGES.contains(&package) => Self::Pure,
            _ => Self::Behaviour,
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Pure => "the protocol and its recordings, without any I/O",
            Self::Behaviour => "the runtime against a scripted CLI in memory",
            Self::Process => "the runtime against a scripted CLI in a process",
            Self::Doc => "the examples of the documentation",
            Self::Real => "the real CLI against a scripted model",
            Self::Soak => "one run of each soak test, with the real CLI",
            Self::Foreign => "served tools against official MCP clients and the conformance suite",
        }
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pure => "pure",
            Self::Behaviour => "behaviour",
            Self::Process => "process",
            Self::Doc => "doc",
            Self::Real => "real",
            Self::Soak => "soak",
            Self::Foreign => "foreign",
        })
    }
}

impl FromStr for Ring {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(|ring| ring.to_string());
        let at = known.iter().position(|ring| ring == name);
        at.map(|at| Self::ALL[at])
            .ok_or_else(|| format!("`{name}` is no ring; there are {}", known.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_belongs_to_one_ring() {
        assert_eq!(Ring::of("inhouse-proto", "recordings"), Ring::Pure);
        assert_eq!(Ring::of("inhouse", "inhouse"), Ring::Behaviour);
        assert_eq!(Ring::of("inhouse", "process"), Ring::Process);
        assert_eq!(Ring::of("inhouse", "real"), Ring::Real);
        assert_eq!(Ring::of("inhouse", "soak"), Ring::Soak);
        assert_eq!(Ring::of("inhouse", "foreign"), Ring::Foreign);
        assert_eq!(Ring::of("inhouse-testkit", "scripted_model"), Ring::Real);
        assert_eq!(
            Ring::of("inhouse-testkit", "inhouse_testkit"),
            Ring::Behaviour
        );
    }

    #[test]
    fn names_go_both_ways() {
        for ring in Ring::ALL {
            assert_eq!(ring.to_string().parse(), Ok(ring));
        }
        assert!("all".parse::<Ring>().is_err());
    }
}
