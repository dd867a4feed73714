use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn running_work_is_stopped() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("wait a").id(id);
    let cancel = async {
        world.shared.logged("begin wait a #1", 1).await;
        world.cancel(id).await;
    };
    let (reply, ()) = tokio::join!(world.call("a", &prompt), cancel);
    let (status, message) = reply.unwrap_err();
    assert_eq!(status, 409);
    assert!(message.contains(&id.to_string()), "{message}");
    assert_eq!(world.shared.log(), ["begin wait a #1", "stop wait a"]);
    assert_eq!(world.status(id).await.state, WorkState::Cancelled);
    // A cancelled work stays cancelled.
    assert_eq!(world.call("a", &prompt).await.unwrap_err().0, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn next_prompt_waits_until_the_cancelled_turn_has_ended() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("linger a").id(id)).await;
    world.shared.logged("begin linger a #1", 1).await;
    world.cancel(id).await;
    world.shared.logged("stopped linger a", 1).await;
    // The work has not ended, as its process is not gone.
    assert_eq!(world.status(id).await.state, WorkState::Running);
    world.send("a", &Prompt::new("say b")).await;
    world.shared.lingering.add_permits(1);
    world.shared.logged("end say b", 1).await;
    let log = world.shared.log();
    assert_eq!(log[2..], ["stop linger a", "begin say b #1", "end say b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_work_never_begins() {
    let (world, _worker) = World::with_worker().await;
    world.send("a", &Prompt::new("wait a")).await;
    world.shared.logged("begin wait a #1", 1).await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("say b").id(id)).await;
    assert_eq!(world.cancel(id).await.state, WorkState::Cancelled);
    world.shared.gate.add_permits(1);
    assert_eq!(
        world.call("a", &Prompt::new("say c")).await.as_deref(),
        Ok("c")
    );
    let log = world.shared.log();
    assert_eq!(
        log,
        [
            "begin wait a #1",
            "end wait a",
            "begin say c #1",
            "end say c"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_an_answered_work_changes_nothing() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("say a").id(id);
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("a"));
    assert_eq!(world.cancel(id).await.state, WorkState::Done);
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("a"));
}
