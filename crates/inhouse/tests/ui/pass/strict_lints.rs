//! Generated code raises no warnings under strict lints.
#![deny(
    warnings,
    unused,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic
)]

use inhouse::tool;
use inhouse::tool::{State, ToolServer};

/// Add.
#[tool(read_only)]
fn add(a: u32, #[default = 1] b: u32) -> u32 {
    a + b
}

/// Use camel case.
#[tool]
#[allow(non_snake_case)]
async fn camelCase(camelArgument: String, State(_count): State<u32>) -> String {
    std::future::ready(camelArgument).await
}

struct Calculator(u32);

#[tool(server = "calculator")]
impl Calculator {
    /// Multiply.
    #[tool]
    async fn multiply(&self, a: u32, _ignored: Option<bool>) -> u32 {
        std::future::ready(a * self.0).await
    }

    /// Divide.
    #[tool(blocking)]
    fn divide(&self, a: u32) -> u32 {
        a / self.0
    }
}

#[test]
fn generated_items_are_used() {
    let server = ToolServer::with_state("test", 1)
        .tool(add::tool())
        .tool(camelCase::tool());
    drop(server);
    drop(Calculator::tool_server(Calculator(2)));
}
