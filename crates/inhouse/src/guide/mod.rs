//! A guide to the SDK, with its parts in the order in which a new user needs them.
//!
//! 1. [Queries and conversations](conversations): queries, clients, turns, control, shutdown.
//! 2. [Tools](tools): writing them, what Claude sees, state, errors, cancellation, limits.
//! 3. [Permissions](permissions): in which order the CLI decides about a tool call, and how the host decides.
//! 4. [Hooks](hooks): every event of a session, the possible answers, and the effect of a failed hook.
//! 5. [Sessions](sessions): listing, reading, changing and moving the sessions on disk.
//! 6. [Stores](stores): keeping sessions elsewhere, continuing them on any machine, and repairing tool calls.
//! 7. [What survives what](durability): the guarantees of a session with a store, and the tests of each.
//! 8. [Testing](testing): without a CLI, with a fake one, with the real one.
//! 9. [Troubleshooting](troubleshooting): symptoms and their causes.
//! 10. [Promises](promises): guaranteed behaviour, how it is implemented, and the tests that check it.

#[doc = include_str!("conversations.md")]
pub mod conversations {}

#[doc = include_str!("tools.md")]
pub mod tools {}

#[doc = include_str!("permissions.md")]
pub mod permissions {}

#[doc = include_str!("hooks.md")]
pub mod hooks {}

#[doc = include_str!("sessions.md")]
pub mod sessions {}

#[doc = include_str!("stores.md")]
pub mod stores {}

#[doc = include_str!("durability.md")]
pub mod durability {}

#[doc = include_str!("testing.md")]
pub mod testing {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("promises.md")]
pub mod promises {}
