//! Real processes: shells that stand in for the CLI, and the offline examples.
#![cfg(target_os = "linux")]

mod examples;
mod exit;
mod group;
mod spawn_errors;
mod stderr;
mod stopped_watchdog;
mod support;
mod unread_messages;
mod watchdog;
