//! Parameters with patterns: extractors, and the state that they need.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use inhouse::tool;
use inhouse::tool::{
    Call, CallId, Cancelled, Extract, FromRef, Input, Progress, State, Tool, ToolError, ToolServer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Clone, Default)]
struct Counter(Arc<AtomicU32>);

#[derive(Clone, Default)]
struct App {
    counter: Counter,
}

impl FromRef<App> for Counter {
    fn from_ref(app: &App) -> Self {
        app.counter.clone()
    }
}

struct User {
    name: &'static str,
}

impl Extract<App> for User {
    fn extract(_call: &Call<'_, App>) -> Result<Self, ToolError> {
        Ok(User { name: "Ada" })
    }
}

/// Count.
#[tool]
async fn count(by: u32, State(counter): State<Counter>, #[default = 1] times: u32) -> u32 {
    counter.0.fetch_add(by * times, Ordering::Relaxed) + by * times
}

/// Say who asks.
#[tool]
async fn who(User { name }: User, #[extract] user: User) -> String {
    format!("{name} {}", user.name)
}

/// Take all extractors of a call.
#[tool]
fn all(
    CallId(id): CallId,
    #[extract] cancelled: Cancelled,
    #[extract] progress: Progress,
    _: CallId,
    word: String,
) -> String {
    progress.report(1.0, 2.0);
    format!("{word} {id:?} {}", cancelled.is_cancelled())
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    /// To the right
    x: i32,
}

/// Take the arguments as one.
#[tool]
async fn whole(Input(Point { x }): Input<Point>) -> i32 {
    x
}

// A name that generated code might use for a type parameter.
#[derive(Clone)]
struct S(u8);

/// Take a state with a short name.
#[tool]
async fn short(State(S(number)): State<S>) -> u8 {
    number
}

#[tokio::test]
async fn state_of_the_server_is_extracted() {
    let counter = Counter::default();
    let server = ToolServer::with_state("test", counter.clone()).tool(count::tool());
    assert_eq!(
        server.call("count", json!({"by": 20})).await.all_text(),
        "20"
    );
    assert_eq!(
        server
            .call("count", json!({"by": 11, "times": 2}))
            .await
            .all_text(),
        "42"
    );
    assert_eq!(counter.0.load(Ordering::Relaxed), 42);
}

#[tokio::test]
async fn part_of_the_state_is_extracted() {
    let server = ToolServer::with_state("test", App::default()).tool(count::tool());
    assert_eq!(server.call("count", json!({"by": 1})).await.all_text(), "1");
}

#[tokio::test]
async fn custom_extractors_work_by_pattern_and_by_attribute() {
    let server = ToolServer::with_state("test", App::default()).tool(who::tool());
    assert_eq!(server.call("who", json!({})).await.all_text(), "Ada Ada");
}

#[tokio::test]
async fn tool_without_state_fits_any_server() {
    let with_state = ToolServer::with_state("one", App::default()).tool(all::tool());
    let without = ToolServer::new("two").tool(all::tool());
    let arguments = json!({"word": "hello"});
    assert_eq!(
        with_state.call("all", arguments.clone()).await.all_text(),
        "hello \"\" false"
    );
    assert_eq!(
        without.call("all", arguments).await.all_text(),
        "hello \"\" false"
    );
}

#[test]
fn extractors_are_not_in_the_schema() {
    let tool: Tool = all::tool();
    let expected = json!({
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
    });
    assert_eq!(tool.definition().input_schema, expected);
}

#[tokio::test]
async fn input_takes_all_arguments_as_one() {
    let server = ToolServer::new("test").tool(whole::tool());
    assert_eq!(server.call("whole", json!({"x": 7})).await.all_text(), "7");
    let tool: Tool = whole::tool();
    let schema = &tool.definition().input_schema;
    assert_eq!(schema["properties"]["x"]["description"], "To the right");
}

#[tokio::test]
async fn state_type_name_does_not_collide() {
    let server = ToolServer::with_state("test", S(9)).tool(short::tool());
    assert_eq!(server.call("short", json!({})).await.all_text(), "9");
}

#[tokio::test]
async fn function_with_extractors_stays_callable() {
    assert_eq!(count(2, State(Counter::default()), 3).await, 6);
}
