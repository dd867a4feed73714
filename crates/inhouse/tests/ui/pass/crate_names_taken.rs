//! User modules and types with the names of crates and prelude items do not collide.
#![allow(dead_code)]

mod inhouse {}
mod serde {}
mod schemars {}
mod std {}
mod core {}
mod tokio {}

struct Result;
struct Option;
struct String;
struct Vec;
struct Into;
struct From;
struct Default;
struct Send;
struct Sync;
struct Arc;
struct Tool;
struct Input;
struct State;
struct Arguments;
trait Deserialize {}
trait JsonSchema {}
trait Extract {}

/// Add.
#[::inhouse::tool(title = "Add", blocking)]
fn add(
    #[default = 1] a: u32,
    #[default = "b"] b: ::std::string::String,
    c: ::std::option::Option<u8>,
    ::inhouse::tool::CallId(_id): ::inhouse::tool::CallId,
) -> ::std::string::String {
    let _ = (a, c);
    b
}

struct Calculator;

#[::inhouse::tool(server = "calculator")]
impl Calculator {
    /// Double.
    #[tool]
    async fn double(&self, #[default = 2] a: u32) -> u32 {
        a * 2
    }
}

#[test]
fn generated_code_ignores_shadowed_names() {
    drop(::inhouse::tool::ToolServer::new("test").tool(add::tool()));
    drop(Calculator::tool_server(Calculator));
}
