#![allow(unused)]

use std::path::Path;

use inhouse::tool;
use inhouse::tool::State;

/// Borrows.
#[tool]
async fn borrows(text: &str, maybe: Option<&'static str>, list: &[u8], path: &mut Path, number: &u8) {}

/// Takes anything.
#[tool]
async fn anything(text: impl Into<String>) {}

/// Borrows the state.
#[tool]
async fn borrows_state(State(number): &State<u8>) {}

fn main() {}
