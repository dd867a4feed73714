//! Decoding of the input and encoding of the output of every hook event.

mod inputs;
mod openness;
mod outputs;
#[path = "../support/mod.rs"]
mod support;
