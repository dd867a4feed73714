//! Tests of the typed messages: decoding never loses data, including unknown types, members and values.

mod catalogue;
mod examples;
mod openness;
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod surprises;
mod vocabulary;
