//! Every hook event: its input decoded and encoded again, and its output as the wire wants it.

mod inputs;
mod openness;
mod outputs;
#[path = "../support/mod.rs"]
mod support;
