//! The real CLI at a known version, isolated from the machine it runs on.
//!
//! [`RealCli`] finds or installs one of two pinned versions; [`Isolation`] has the directories and the environment for one
//! run. With a [`ScriptedModel`](crate::model::ScriptedModel), a test runs the real CLI without an account, cost or network.
//!
//! # Where the CLI comes from
//!
//! 1. The environment: `INHOUSE_REAL_CLI` for [`RealCli::pinned`], `INHOUSE_REAL_CLI_OLDEST` for [`RealCli::oldest`].
//! 2. The cache: `<cache>/<version>/claude`, where the cache is `INHOUSE_TESTKIT_CACHE`, or else `inhouse-testkit` in
//!    `XDG_CACHE_HOME` or `~/.cache`.
//! 3. npm: `npm pack` downloads the package for this platform, which must have the SHA-512 hash that this crate has for it, `tar`
//!    unpacks it, and the binary is renamed into the cache. No script of the package runs and nothing is installed elsewhere.
//!
//! `inhouse install` does the third step for users of the CLI.
//!
//! Of several processes that need the same version, one installs it and the others wait for its file lock. Each works in
//! its own directory, and the rename is atomic.
//!
//! # What isolation means
//!
//! The environment is not inherited. Home, configuration, temporary files and the project are in one temporary directory,
//! which is removed with the [`Isolation`]. The API is the scripted model, the key is a dummy, and updates, telemetry and
//! other traffic are disabled.

mod cache;
mod cli;
mod install;
mod install_error;
mod isolation;
mod platform;
mod release;
mod unavailable;

pub use cli::RealCli;
#[doc(hidden)]
pub use install::{Installed, install};
#[doc(hidden)]
pub use install_error::InstallError;
pub use isolation::Isolation;
#[doc(hidden)]
pub use platform::suffix as platform;
pub use unavailable::RealCliUnavailable;
