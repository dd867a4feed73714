#![allow(unused)]

use inhouse::tool;

/// Add.
#[tool(readonly)]
async fn unknown() {}

/// Add.
#[tool(read_only, title = "Add", read_only)]
async fn twice() {}

/// Add.
#[tool(always_load = true, blocking = false)]
async fn flags() {}

/// Add.
#[tool(title, timeout, max_result_size, concurrency, search_hint, name)]
async fn values() {}

/// Add.
#[tool(timeout = "5s")]
async fn text() {}

/// Add.
#[tool(timeout = 5)]
async fn number() {}

/// Add.
#[tool(name = "add numbers")]
async fn spaced() {}

/// Add.
#[tool(name = concat!("a", "b"))]
async fn computed() {}

/// Add.
#[tool(read_only, destructive)]
async fn contradiction() {}

/// Add.
#[tool(server = "calc", version = "1.0.0")]
async fn server() {}

/// Add.
#[tool(read_only destructive)]
async fn comma() {}

fn main() {}
