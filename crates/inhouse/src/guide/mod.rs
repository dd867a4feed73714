//! The guide: longer than a reference, in the order in which one needs it.
//!
//! 1. [Asking and conversing](conversations): queries, clients, turns, control, endings.
//! 2. [Tools](tools): writing them, what Claude sees, state, errors, cancellation, limits.
//! 3. [Testing](testing): without a CLI, with a fake one, with the real one.
//! 4. [Troubleshooting](troubleshooting): symptoms and their causes.
//! 5. [Promises](promises): what you can rely on, how it is kept, and the test that holds it.

#[doc = include_str!("conversations.md")]
pub mod conversations {}

#[doc = include_str!("tools.md")]
pub mod tools {}

#[doc = include_str!("testing.md")]
pub mod testing {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("promises.md")]
pub mod promises {}
