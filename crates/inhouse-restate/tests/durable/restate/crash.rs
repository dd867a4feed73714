use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn turn_of_a_dead_worker_continues_on_another_one() {
    let (world, worker) = World::with_worker().await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait 0").id(id)).await;
    world.shared.logged("begin wait 0 #1", 1).await;
    world.send("a", &Prompt::new("say 1")).await;
    world.send("a", &Prompt::new("say 2")).await;
    worker.kill().await;
    world.shared.logged("drop wait 0", 1).await;
    let _worker = world.worker(1, |endpoint| endpoint).await;
    world.shared.logged("begin wait 0 #2", 1).await;
    world.shared.gate.add_permits(1);
    world.shared.logged("end say 2", 1).await;
    let log = world.shared.log();
    let begun: Vec<_> = log.iter().filter(|e| e.starts_with("begin")).collect();
    let expected = [
        "begin wait 0 #1",
        "begin wait 0 #2",
        "begin say 1 #1",
        "begin say 2 #1",
    ];
    assert_eq!(begun, expected);
    world.until(id, WorkState::Done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_the_engine_is_killed() {
    let (mut world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait 0").id(id)).await;
    world.shared.logged("begin wait 0 #1", 1).await;
    for n in 1..10 {
        world.send("a", &Prompt::new(format!("say {n}"))).await;
    }
    world.server.crash();
    // The turn is stopped, because its end could not be delivered.
    world.shared.logged("drop wait 0", 1).await;
    world.server.restart().await.unwrap();
    world.shared.logged("begin wait 0 #2", 1).await;
    world.shared.gate.add_permits(1);
    world.shared.logged("end say 9", 1).await;
    let log = world.shared.log();
    let ended: Vec<_> = log.iter().filter(|e| e.starts_with("end")).collect();
    let expected = (1..10).map(|n| format!("end say {n}"));
    let expected: Vec<_> = std::iter::once("end wait 0".to_owned())
        .chain(expected)
        .collect();
    assert_eq!(ended, expected.iter().collect::<Vec<_>>());
}

/// The answer is in the store when the worker dies before Restate has it.
#[tokio::test(flavor = "multi_thread")]
async fn stored_answer_is_handed_out_again() {
    let (world, worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("wait 0").id(id);
    world.send("a", &prompt).await;
    world.shared.logged("begin wait 0 #1", 1).await;
    worker.kill().await;
    world.shared.answer(id, "stored");
    let _worker = world.worker(1, |endpoint| endpoint).await;
    assert_eq!(world.call("a", &prompt).await.as_deref(), Ok("stored"));
    assert_eq!(world.shared.log(), ["begin wait 0 #1", "drop wait 0"]);
}
