//! The guide: longer than a reference, in the order in which one needs it.
//!
//! 1. [Asking and conversing](conversations): queries, clients, turns, control, endings.
//! 2. [Tools](tools): writing them, what Claude sees, state, errors, cancellation, limits.
//! 3. [Permissions](permissions): who decides about what Claude wants to do, and how to be the one.
//! 4. [Hooks](hooks): every event of a session, what can be done about it, and what if a hook fails.
//! 5. [Testing](testing): without a CLI, with a fake one, with the real one.
//! 6. [Troubleshooting](troubleshooting): symptoms and their causes.
//! 7. [Promises](promises): what you can rely on, how it is kept, and the test that holds it.

#[doc = include_str!("conversations.md")]
pub mod conversations {}

#[doc = include_str!("tools.md")]
pub mod tools {}

#[doc = include_str!("permissions.md")]
pub mod permissions {}

#[doc = include_str!("hooks.md")]
pub mod hooks {}

#[doc = include_str!("testing.md")]
pub mod testing {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("promises.md")]
pub mod promises {}
