//! The typed messages: nothing is lost, whatever the CLI sends.

mod catalogue;
mod examples;
mod openness;
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod surprises;
mod vocabulary;
