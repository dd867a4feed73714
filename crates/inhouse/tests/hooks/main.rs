//! Hooks: what the CLI is told of them, and what it hears when it calls them.

mod cancellation;
mod concurrency;
mod context;
mod failures;
mod guards;
mod inference;
mod mistakes;
mod raw;
mod registration;
mod support;
