//! The way out: a server of tools for programs other than this one.

mod call;
mod change_notifier;
mod handler;
mod stdio;
