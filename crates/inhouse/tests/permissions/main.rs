//! Who decides what, one file for each behaviour: the host's handlers and a CLI in memory that asks them, on a
//! paused clock.

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
