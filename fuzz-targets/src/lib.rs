//! The fuzz targets of the workspace.
//!
//! A [`Target`] is a function of bytes that panics if a property does not hold. The same functions are fed by libFuzzer
//! (the package in `fuzz/`, which needs a nightly toolchain) and by [`fuzz`], a loop that mutates seeds on a stable
//! toolchain. `cargo xtask fuzz` runs the one or the other.

mod fuzz_loop;
mod mutate;
pub mod seeds;
pub mod targets;

pub use fuzz_loop::{Finding, Limits, Report, fuzz, record_places, reproduce};

/// A fuzz target: a name, a property of bytes, and inputs to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line, and of the binary in `fuzz/`.
    pub name: &'static str,
    /// The property, which panics if it does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Returns the inputs that mutation begins with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All fuzz targets, in the order of their names.
pub const TARGETS: [Target; 7] = [
    Target {
        name: "engine",
        check: targets::engine,
        seeds: seeds::engine,
    },
    Target {
        name: "message",
        check: targets::message,
        seeds: seeds::message,
    },
    Target {
        name: "recordings",
        check: targets::recordings,
        seeds: seeds::recordings,
    },
    Target {
        name: "requests",
        check: targets::requests,
        seeds: seeds::requests,
    },
    Target {
        name: "rpc",
        check: targets::rpc,
        seeds: seeds::rpc,
    },
    Target {
        name: "rules",
        check: targets::rules,
        seeds: seeds::rules,
    },
    Target {
        name: "session",
        check: targets::session,
        seeds: seeds::session,
    },
];

/// Returns the target with this name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
