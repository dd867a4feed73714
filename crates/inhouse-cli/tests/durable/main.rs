//! `inhouse fleet` with a real database.

#[cfg(unix)]
#[path = "../common/fleet.rs"]
mod fleet;
#[cfg(unix)]
mod postgres;
