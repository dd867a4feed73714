//! Where tools can be: in function bodies, in modules, behind other names.

use inhouse::tool::{Tool, ToolServer};
use serde_json::json;

mod weather {
    /// The forecast.
    #[inhouse::tool]
    pub(super) async fn forecast(city: String) -> String {
        hidden::sun(city).await
    }

    pub(super) mod hidden {
        /// Only for its neighbours.
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

/// There are two of it.
#[inhouse::tool]
#[cfg(not(test))]
async fn variant() -> u8 {
    1
}

/// There are two of it.
#[inhouse::tool]
#[cfg(test)]
async fn variant() -> u8 {
    2
}

#[tokio::test]
async fn visibility_is_that_of_the_function() {
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
async fn a_function_body_can_have_tools_with_types_of_its_own() {
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
async fn a_function_body_can_have_a_server() {
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
async fn a_macro_can_make_tools() {
    let server = ToolServer::new("test").tool(number::tool());
    assert_eq!(
        server.call("number", json!({"value": 4})).await.all_text(),
        "4 false"
    );
    let tool: Tool = number::tool();
    assert_eq!(tool.definition().description.as_deref(), Some("A number."));
}

#[tokio::test]
async fn conditions_hold_for_the_tool_as_for_the_function() {
    let server = ToolServer::new("test").tool(variant::tool());
    assert_eq!(server.call("variant", json!({})).await.all_text(), "2");
}
