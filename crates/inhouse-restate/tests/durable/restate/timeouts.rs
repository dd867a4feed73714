use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};
use serde_json::json;

use super::support::{World, within};

/// The defaults of the server, scaled from one and ten minutes.
const SHORT: &str = r#"
    worker.invoker.inactivity-timeout = "2s"
    worker.invoker.abort-timeout = "2s"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn silent_turn_outlives_the_timeouts_of_the_server() {
    let world = World::start(SHORT).await;
    let _worker = world.worker(1, |endpoint| endpoint).await;
    let reply = world.call("a", &Prompt::new("last 8")).await;
    assert_eq!(reply.as_deref(), Ok("lasted"));
    assert_eq!(world.shared.log(), ["begin last 8 #1", "end last 8"]);
}

/// The control: with the timeouts of the server, a silent turn is dropped and not delivered again.
#[tokio::test(flavor = "multi_thread")]
async fn silent_turn_is_suspended_without_our_timeouts() {
    let world = World::start(SHORT).await;
    let _worker = world.worker(1, |endpoint| endpoint).await;
    let timeouts = json!({ "inactivity_timeout": "2s", "abort_timeout": "2s" }).to_string();
    let change = world
        .server
        .admin("PATCH", "/services/InhouseTurn", &timeouts);
    let (status, body) = within(change).await.unwrap();
    assert_eq!(status, 200, "{body}");
    let id = WorkId::new();
    world.send("a", &Prompt::new("last 60").id(id)).await;
    world.shared.logged("drop last 60", 1).await;
    // Restate waits for the limit of the turn, a day.
    let answered = tokio::time::timeout(
        std::time::Duration::from_secs(8),
        world.until(id, WorkState::Done),
    );
    assert!(answered.await.is_err());
    assert_eq!(world.shared.log(), ["begin last 60 #1", "drop last 60"]);
}
