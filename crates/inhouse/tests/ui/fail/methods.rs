#![allow(unused)]

use std::sync::Arc;

use inhouse::tool;

struct Calc;

#[tool(server = "calc")]
impl Calc {
    /// Change.
    #[tool]
    async fn change(&mut self) {}

    /// Consume.
    #[tool]
    async fn consume(self) {}

    /// Share.
    #[tool]
    async fn share(self: Arc<Self>) {}

    #[tool]
    async fn undescribed(&self, text: &str) {}

    /// Mark twice.
    #[tool]
    #[tool(read_only)]
    async fn twice(&self) {}

    /// Mark in another way.
    #[tool = "another"]
    async fn another(&self) {}

    /// Be a server.
    #[tool(server = "inner")]
    async fn inner(&self) {}
}

fn main() {}
