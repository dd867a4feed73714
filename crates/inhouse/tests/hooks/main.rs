//! Hooks: registration, callbacks and their responses.

mod cancellation;
mod concurrency;
mod context;
mod failures;
mod guards;
mod inference;
mod invalid_matchers;
mod raw;
mod registration;
mod support;
