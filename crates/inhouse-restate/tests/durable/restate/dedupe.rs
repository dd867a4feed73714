use inhouse_fleet::WorkId;
use inhouse_restate::Prompt;
use serde_json::json;

use super::support::{World, within};

#[tokio::test(flavor = "multi_thread")]
async fn same_key_and_text_is_the_same_work() {
    let (world, _worker) = World::with_worker().await;
    let prompt = Prompt::new("say 5").dedupe("order-9");
    let replies = tokio::join!(world.call("a", &prompt), world.call("a", &prompt));
    assert_eq!(replies, (Ok("5".to_owned()), Ok("5".to_owned())));
    assert_eq!(world.enqueue("a", &prompt).await.ok(), prompt.work_id("a"));
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("5"));
    assert_eq!(world.shared.log(), ["begin say 5 #1", "end say 5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn same_key_with_another_text_is_refused() {
    let (world, _worker) = World::with_worker().await;
    let reply = world
        .call("a", &Prompt::new("say 5").dedupe("order-9"))
        .await;
    assert_eq!(reply.as_deref(), Ok("5"));
    let other = Prompt::new("say 6").dedupe("order-9");
    let (status, message) = world.call("a", &other).await.unwrap_err();
    assert_eq!(status, 422);
    assert!(
        message.contains("say 5") && message.contains("say 6"),
        "{message}"
    );
    let (status, message) = world.enqueue("a", &other).await.unwrap_err();
    assert_eq!(status, 422);
    assert!(
        message.contains("say 5") && message.contains("say 6"),
        "{message}"
    );
    // The key belongs to its session.
    assert_eq!(world.call("b", &other).await.as_deref(), Ok("6"));
}

#[tokio::test(flavor = "multi_thread")]
async fn same_id_with_another_text_or_session_is_refused() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("say 5").id(id);
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("5"));
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("5"));
    let other = world.call("a", &Prompt::new("say 6").id(id)).await;
    assert_eq!(other.unwrap_err().0, 422);
    assert_eq!(world.call("b", &prompt).await.unwrap_err().0, 422);
}

/// The reason why the key of a prompt is a member of its JSON.
#[tokio::test(flavor = "multi_thread")]
async fn idempotency_header_answers_another_prompt_with_the_old_reply() {
    let (world, _worker) = World::with_worker().await;
    let (status, _) = with_header(&world, "say 5").await;
    assert_eq!(status, 200);
    let (status, body) = with_header(&world, "say 6").await;
    assert_eq!(status, 200);
    assert!(body.contains(r#""text":"5""#), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn id_and_key_exclude_each_other() {
    let (world, _worker) = World::with_worker().await;
    let prompt = Prompt::new("say 5").id(WorkId::new()).dedupe("order-9");
    assert_eq!(world.enqueue("a", &prompt).await.unwrap_err().0, 400);
    assert_eq!(world.call("a", &prompt).await.unwrap_err().0, 400);
}

async fn with_header(world: &World, prompt: &str) -> (u16, String) {
    let header = ("idempotency-key", "order-9");
    let body = json!({ "prompt": prompt }).to_string();
    let path = "/InhouseSession/a/prompt";
    let response = world
        .server
        .ingress_with_header("POST", path, header, &body);
    within(response).await.unwrap()
}
