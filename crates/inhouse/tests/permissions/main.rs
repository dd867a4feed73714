//! Permissions, questions, plans, elicitations and dialogs, in memory and on a paused clock.

mod cancellation;
mod decisions;
mod dialogs;
mod elicitation;
mod failures;
mod malformed;
mod plans;
mod policy;
mod questions;
mod requests;
mod rules;
mod support;
mod updates;
mod warnings;
mod without_handler;
