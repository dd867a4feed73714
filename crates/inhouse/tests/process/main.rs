//! The CLI as a real process: shells stand in for it.
#![cfg(target_os = "linux")]

mod exit;
mod group;
mod spawn_errors;
mod stderr;
mod stopped_watchdog;
mod support;
mod unread_messages;
mod watchdog;
