use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn poison_prompt_is_parked_with_its_reason() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let poison = Prompt::new("fail no such file").id(id);
    let neighbours = (Prompt::new("say b"), Prompt::new("say c"));
    let replies = tokio::join!(
        world.call("a", &poison),
        world.call("b", &neighbours.0),
        async {
            world.shared.logged("begin fail no such file #1", 1).await;
            world.call("a", &neighbours.1).await
        },
    );
    let (status, message) = replies.0.unwrap_err();
    assert_eq!(status, 500);
    assert!(
        message.contains("after 3 attempts: no such file"),
        "{message}"
    );
    assert_eq!(
        (replies.1.as_deref(), replies.2.as_deref()),
        (Ok("b"), Ok("c"))
    );
    let log = world.shared.log();
    let begun = |entry: &str| log.iter().filter(|e| *e == entry).count();
    for attempt in 1..=3 {
        assert_eq!(begun(&format!("begin fail no such file #{attempt}")), 1);
    }
    assert_eq!((begun("begin say b #1"), begun("begin say c #1")), (1, 1));
    let status = world.status(id).await;
    assert_eq!(status.state, WorkState::Parked);
    assert!(status.reason.unwrap().contains("no such file"));
    // Sending it again tries it again, one way or the other.
    assert!(world.call("a", &poison).await.is_err());
    world.shared.logged("begin fail no such file #3", 2).await;
    world.send("a", &poison).await;
    world.shared.logged("begin fail no such file #3", 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_turn_is_repeated() {
    let (world, _worker) = World::with_worker().await;
    let reply = world.call("a", &Prompt::new("recover a")).await;
    assert_eq!(reply.as_deref(), Ok("a"));
    world.shared.logged("begin recover a #2", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn panic_is_a_failed_attempt() {
    let (world, _worker) = World::with_worker().await;
    let (status, message) = world
        .call("a", &Prompt::new("panic now"))
        .await
        .unwrap_err();
    assert_eq!(status, 500);
    assert!(message.contains("panicked"), "{message}");
    assert_eq!(
        world.call("a", &Prompt::new("say b")).await.as_deref(),
        Ok("b")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn prompt_that_costs_every_worker_is_parked() {
    let (world, mut worker) = World::with_worker().await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait a").id(id)).await;
    for attempt in 1..=3 {
        world
            .shared
            .logged(&format!("begin wait a #{attempt}"), 1)
            .await;
        worker.kill().await;
        worker = world.worker(100, |endpoint| endpoint).await;
    }
    let status = world.until(id, WorkState::Parked).await;
    let reason = status.reason.unwrap();
    assert!(
        reason.starts_with("after 3 attempts: its worker"),
        "{reason}"
    );
    assert_eq!(
        world.call("a", &Prompt::new("say b")).await.as_deref(),
        Ok("b")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbours_of_a_prompt_that_costs_its_worker_are_not_charged() {
    let (world, mut worker) = World::with_worker().await;
    let (poison, neighbour) = (WorkId::new(), WorkId::new());
    world.send("a", &Prompt::new("wait a").id(poison)).await;
    world.send("b", &Prompt::new("wait b").id(neighbour)).await;
    let shared = &world.shared;
    for time in 1..=2 {
        shared.logged("begin wait a #1", time).await;
        shared.logged("begin wait b #1", time).await;
        worker.kill().await;
        shared.logged("drop wait a", time).await;
        shared.logged("drop wait b", time).await;
        worker = world.worker(100, |endpoint| endpoint).await;
    }
    // Each of them may be the reason now, so they run one after the other.
    shared.gate.add_permits(2);
    world.until(poison, WorkState::Done).await;
    world.until(neighbour, WorkState::Done).await;
    let log = shared.log();
    assert!(log.iter().all(|entry| !entry.ends_with("#2")), "{log:?}");
    let last = log[log.len() - 4..].iter();
    let last: Vec<_> = last.map(|entry| entry.split(' ').next().unwrap()).collect();
    assert_eq!(last, ["begin", "end", "begin", "end"], "{log:?}");
}
