//! The way out: a server of tools for programs other than this one.

mod call;
mod changes;
mod handler;
mod stdio;
