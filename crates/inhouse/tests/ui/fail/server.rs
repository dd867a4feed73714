#![allow(unused)]

use inhouse::tool;

struct Unnamed;

#[tool]
impl Unnamed {
    /// Add.
    #[tool]
    async fn add(&self) {}
}

struct Settings;

#[tool(server = "a b", version, read_only)]
impl Settings {
    /// Add.
    #[tool]
    async fn add(&self) {}
}

struct Empty;

#[tool(server = "empty")]
impl Empty {
    fn add(&self) {}
}

#[tool(server = "trait")]
impl Clone for Empty {
    fn clone(&self) -> Self {
        Empty
    }
}

struct Generic<T>(T);

#[tool(server = "generic")]
impl<T> Generic<T> {
    /// Add.
    #[tool]
    async fn add(&self) {}
}

fn main() {
    let _ = Settings::tool_server(Settings);
}
