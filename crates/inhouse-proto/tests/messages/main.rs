//! The typed messages: nothing is lost, whatever the CLI sends.

mod catalogue;
mod examples;
mod openness;
mod shapes;
mod surprises;
#[path = "../support/mod.rs"]
mod support;
mod vocabulary;
