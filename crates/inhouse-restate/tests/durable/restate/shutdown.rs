use std::time::Duration;

use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn running_turn_is_handed_over_without_a_charge() {
    let world = World::start("").await;
    let grace = Duration::from_millis(200);
    let old = world.worker(1, |endpoint| endpoint.grace(grace)).await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait a").id(id)).await;
    world.shared.logged("begin wait a #1", 1).await;
    // Delivered to the old worker, where it waits for the slot.
    world.send("b", &Prompt::new("say b")).await;
    let new = world.worker(1, |endpoint| endpoint).await;
    old.shut_down().await;
    world.shared.logged("begin wait a #1", 2).await;
    world.shared.gate.add_permits(1);
    world.until(id, WorkState::Done).await;
    world.shared.logged("end say b", 1).await;
    assert!(world.shared.log().contains(&"begin say b #1".to_owned()));
    new.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn running_turn_may_end_within_the_grace() {
    let world = World::start("").await;
    let grace = Duration::from_secs(60);
    let worker = world.worker(1, |endpoint| endpoint.grace(grace)).await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait a").id(id)).await;
    world.shared.logged("begin wait a #1", 1).await;
    let end = async {
        world.port.closed().await;
        world.shared.gate.add_permits(1);
    };
    tokio::join!(worker.shut_down(), end);
    let _next = world.worker(1, |endpoint| endpoint).await;
    world.until(id, WorkState::Done).await;
    assert_eq!(world.shared.log(), ["begin wait a #1", "end wait a"]);
}
