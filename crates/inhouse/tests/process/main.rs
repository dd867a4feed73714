//! Real processes: shell scripts in place of the CLI, and the offline examples.
#![cfg(target_os = "linux")]

#[path = "../common/example.rs"]
mod example;
mod examples;
mod exit;
mod group;
mod spawn_errors;
mod stderr;
mod stopped_watchdog;
mod support;
mod unread_messages;
mod watchdog;
