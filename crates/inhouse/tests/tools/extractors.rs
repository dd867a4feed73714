use inhouse::tool::{
    Call, CallId, Cancelled, Extract, FromRef, Progress, State, Tool, ToolError, ToolServer,
};
use serde_json::json;

#[derive(Clone)]
struct App {
    name: &'static str,
    user: Option<User>,
}

#[derive(Clone)]
struct User(&'static str);

#[derive(Clone)]
struct Name(&'static str);

impl FromRef<App> for Name {
    fn from_ref(app: &App) -> Self {
        Name(app.name)
    }
}

impl Extract<App> for User {
    fn extract(call: &Call<'_, App>) -> Result<Self, ToolError> {
        let user = call.state().user.clone();
        user.ok_or_else(|| ToolError::new("not signed in"))
    }
}

fn app(user: Option<User>) -> ToolServer<App> {
    ToolServer::with_state("app", App { name: "mail", user })
}

#[tokio::test]
async fn state_and_parts_of_it_are_extractors() {
    let server = app(None)
        .tool(Tool::new(
            "whole",
            "Whole",
            async |State(app): State<App>| app.name,
        ))
        .tool(Tool::new(
            "part",
            "Part",
            async |State(Name(name)): State<Name>| name,
        ));
    assert_eq!(server.call("whole", json!({})).await.all_text(), "mail");
    assert_eq!(server.call("part", json!({})).await.all_text(), "mail");
}

#[tokio::test]
async fn custom_extractor_can_fail() {
    let tool = Tool::new("me", "Me", async |User(name): User| name);
    let signed_in = app(Some(User("ada"))).tool(tool.clone());
    assert_eq!(signed_in.call("me", json!({})).await.all_text(), "ada");
    let failed = app(None).tool(tool).call("me", json!({})).await;
    assert!(failed.is_error);
    assert_eq!(failed.all_text(), "not signed in");
}

#[tokio::test]
async fn call_extractors_work_without_a_cli() {
    let tool = Tool::new(
        "context",
        "Context",
        async |CallId(id): CallId, cancelled: Cancelled, progress: Progress| {
            progress.report(1.0, 2.0);
            progress.report_with_message(2.0, None, "done");
            format!("{id:?} {}", cancelled.is_cancelled())
        },
    );
    let server = ToolServer::new("s").tool(tool);
    assert_eq!(
        server.call("context", json!({})).await.all_text(),
        "\"\" false"
    );
}

#[tokio::test]
async fn async_functions_are_handlers() {
    async fn hello(State(App { name, .. }): State<App>) -> String {
        format!("hello from {name}")
    }
    let server = app(None).tool(Tool::new("hello", "Hello", hello));
    assert_eq!(
        server.call("hello", json!({})).await.all_text(),
        "hello from mail"
    );
}
