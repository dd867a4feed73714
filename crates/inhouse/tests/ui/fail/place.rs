#![allow(unused)]

use inhouse::tool;

/// Add.
#[tool]
struct Add;

/// Add.
#[tool]
mod add {}

fn main() {}
