//! A guide to the SDK, with its parts in the order in which a new user needs them.
//!
//! 1. [Queries and conversations](conversations): queries, clients, turns, control, shutdown.
//! 2. [Tools](tools): writing them, what Claude sees, state, errors, cancellation, limits.
//! 3. [Permissions](permissions): in which order the CLI decides about a tool call, and how the host decides.
//! 4. [Hooks](hooks): every event of a session, the possible answers, and the effect of a failed hook.
//! 5. [Sessions](sessions): listing, reading, changing and moving the sessions on disk.
//! 6. [Stores](stores): keeping sessions elsewhere, continuing them on any machine, and repairing tool calls.
//! 7. [What survives what](durability): the guarantees of a session with a store, and the tests of each.
//! 8. [From one process to many machines](fleet): a queue, hosts that may die, questions to people, sizing and deployment.
//! 9. [Structured output](structured_output): answers as values of your types.
//! 10. [Subagents](subagents): delegating work, and what the host sees of it.
//! 11. [Steering](steering): prompts that are sent while a turn runs.
//! 12. [Tool search](tool_search): many tools without filling the context.
//! 13. [Skills](skills): instructions that Claude reads when it needs them.
//! 14. [Plugins](plugins): skills, subagents, commands and servers that come with your program.
//! 15. [File checkpoints](checkpoints): undoing the changes of a turn.
//! 16. [Cost](cost): what a turn and a session cost, and how to limit it.
//! 17. [Telemetry](telemetry): spans, one trace with the CLI, and metrics.
//! 18. [Hosting](hosting): many sessions in a service.
//! 19. [Secure deployment](secure_deployment): confining the CLI, and keeping keys out of it.
//! 20. [Testing your agent](testing): without a CLI, with a fake one, with the real one.
//! 21. [Debugging](debugging): recording a session, and seeing what happened in it.
//! 22. [Troubleshooting](troubleshooting): symptoms and their causes.
//! 23. [Promises](promises): guaranteed behaviour, how it is implemented, and the tests that check it.
//! 24. [Coming from an official SDK](migration): TypeScript and Python side by side with this SDK.
//!
//! A paragraph that begins with *Tests* names the tests of what the section before it says about the CLI. In a checkout,
//! `cargo xtask test -- <name>` runs one.

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

#[doc = include_str!("fleet.md")]
pub mod fleet {}

#[doc = include_str!("structured_output.md")]
pub mod structured_output {}

#[doc = include_str!("subagents.md")]
pub mod subagents {}

#[doc = include_str!("steering.md")]
pub mod steering {}

#[doc = include_str!("tool_search.md")]
pub mod tool_search {}

#[doc = include_str!("skills.md")]
pub mod skills {}

#[doc = include_str!("plugins.md")]
pub mod plugins {}

#[doc = include_str!("checkpoints.md")]
pub mod checkpoints {}

#[doc = include_str!("cost.md")]
pub mod cost {}

#[doc = include_str!("hosting.md")]
pub mod hosting {}

#[doc = include_str!("secure_deployment.md")]
pub mod secure_deployment {}

#[doc = include_str!("telemetry.md")]
pub mod telemetry {}

#[doc = include_str!("testing.md")]
pub mod testing {}

#[doc = include_str!("debugging.md")]
pub mod debugging {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("promises.md")]
pub mod promises {}

#[doc = include_str!("migration.md")]
pub mod migration {}
