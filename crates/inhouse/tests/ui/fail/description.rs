#![allow(unused)]

use inhouse::tool;

#[tool]
async fn without(a: f64) -> f64 {
    a
}

///
#[tool(read_only)]
async fn empty() {}

#[doc = include_str!("description.rs")]
#[tool]
async fn included() {}

#[tool(description)]
async fn unsaid() {}

fn main() {
    let _: inhouse::tool::Tool = without::tool();
}
