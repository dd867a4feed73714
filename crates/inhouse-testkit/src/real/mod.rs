//! The real CLI, at a known version, cut off from the machine it runs on.
//!
//! [`RealCli`] finds or installs one of two versions that this kit pins; [`Isolation`] is the little world that one run of
//! it lives in. Together with a [`ScriptedModel`](crate::model::ScriptedModel) they make a test that uses the real thing on
//! one side and needs no account, no money and no network on the other.
//!
//! # Where the CLI comes from
//!
//! 1. The environment: `INHOUSE_REAL_CLI` for [`RealCli::pinned`], `INHOUSE_REAL_CLI_OLDEST` for [`RealCli::oldest`].
//! 2. The cache: `<cache>/<version>/claude`, where the cache is `INHOUSE_TESTKIT_CACHE`, or else `inhouse-testkit` in
//!    `XDG_CACHE_HOME` or `~/.cache`.
//! 3. npm: `npm pack` fetches the package for this platform (and checks it), `tar` unpacks it, and the binary is moved
//!    into the cache in one step. Nothing is executed and nothing is installed elsewhere.
//!
//! Of several processes that need the same version at once, one installs and the others wait for it. Should two install
//! after all, they do not disturb each other: each works in a directory of its own, and moving a file is atomic.
//!
//! # What isolation means
//!
//! The environment is built from nothing, not inherited. Home, configuration, temporary files and the project live in
//! one temporary directory, which goes away with the [`Isolation`]. The API is the scripted model, the key is a
//! dummy, and updates, telemetry and everything else that would leave the machine are switched off.

mod cache;
mod cli;
mod install;
mod isolation;
mod options;
mod platform;
mod release;
mod turnstile;
mod unavailable;

pub use cli::RealCli;
pub use isolation::Isolation;
pub use unavailable::RealCliUnavailable;
