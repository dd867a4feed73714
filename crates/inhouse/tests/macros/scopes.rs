//! Tools in function bodies, in modules, and in macros.

use inhouse::tool::{Tool, ToolServer};
use serde_json::json;

mod weather {
    /// The forecast.
    #[inhouse::tool]
    pub(super) async fn forecast(city: String) -> String {
        hidden::sun(city).await
    }

    pub(super) mod hidden {
        /// Report the sun.
        #[inhouse::tool]
        pub(in super::super) async fn sun(city: String) -> String {
            format!("sun in {city}")
        }
    }
}

macro_rules! constant {
    ($name:ident, $ty:ty, $text:literal) => {
        #[doc = $text]
        #[inhouse::tool]
        async fn $name(value: $ty, other: Option<$ty>) -> String {
            format!("{value} {}", other.is_some())
        }
    };
}

constant!(number, u8, "A number.");

/// One of two variants.
#[inhouse::tool]
#[cfg(not(test))]
async fn variant() -> u8 {
    1
}

/// One of two variants.
#[inhouse::tool]
#[cfg(test)]
async fn variant() -> u8 {
    2
}

#[tokio::test]
async fn tool_has_the_visibility_of_the_function() {
    use weather::{forecast, hidden};

    let server = ToolServer::new("test")
        .tool(forecast::tool())
        .tool(hidden::sun::tool());
    let arguments = json!({"city": "Rome"});
    assert_eq!(
        server.call("forecast", arguments.clone()).await.all_text(),
        "sun in Rome"
    );
    assert_eq!(
        server.call("sun", arguments).await.all_text(),
        "sun in Rome"
    );
    assert_eq!(forecast("Oslo".to_owned()).await, "sun in Oslo");
}

#[tokio::test]
async fn tool_in_a_function_body_uses_local_types() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Local {
        x: u8,
    }

    #[derive(Clone)]
    struct Base(u8);

    const MORE: u8 = 3;

    /// Add to the base.
    #[inhouse::tool]
    async fn add(
        inhouse::tool::State(Base(base)): inhouse::tool::State<Base>,
        local: Local,
        #[default = MORE] more: u8,
    ) -> u8 {
        base + local.x + more
    }

    let server = ToolServer::with_state("test", Base(1)).tool(add::tool());
    assert_eq!(
        server
            .call("add", json!({"local": {"x": 2}}))
            .await
            .all_text(),
        "6"
    );
}

#[tokio::test]
async fn server_in_a_function_body_compiles() {
    struct Greeter(&'static str);

    #[inhouse::tool(server = "greeter")]
    impl Greeter {
        /// Greet.
        #[inhouse::tool]
        async fn greet(&self, name: String) -> String {
            format!("{} {name}", self.0)
        }
    }

    let server = Greeter::tool_server(Greeter("Hello"));
    assert_eq!(
        server
            .call("greet", json!({"name": "Ada"}))
            .await
            .all_text(),
        "Hello Ada"
    );
}

#[tokio::test]
async fn macro_can_declare_tools() {
    let server = ToolServer::new("test").tool(number::tool());
    assert_eq!(
        server.call("number", json!({"value": 4})).await.all_text(),
        "4 false"
    );
    let tool: Tool = number::tool();
    assert_eq!(tool.definition().description.as_deref(), Some("A number."));
}

#[tokio::test]
async fn cfg_applies_to_function_and_tool() {
    let server = ToolServer::new("test").tool(variant::tool());
    assert_eq!(server.call("variant", json!({})).await.all_text(), "2");
}
