//! Sessions on disk and in stores.

mod disk;
mod mirror;
mod resume;
mod transcript;

pub use self::disk::{info, list, messages};
pub use self::mirror::mirror;
pub use self::resume::{Database, resume};
pub use self::transcript::{Transcript, write};
