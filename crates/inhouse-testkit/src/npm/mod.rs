//! Packages from npm, downloaded with the npm client and checked before they are unpacked.
//!
//! For [`RealCli`](crate::RealCli) and for the command `inhouse`. No script of a package runs, and nothing is installed outside of the
//! directory that the caller names.

mod client;
mod error;
mod integrity;

pub use self::client::Npm;
pub use self::error::NpmError;
#[cfg(all(test, unix))]
pub(crate) use self::integrity::of_file as integrity;
