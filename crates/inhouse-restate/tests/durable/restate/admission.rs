use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn worker_runs_no_more_turns_than_it_has_slots() {
    let world = World::start("").await;
    let _worker = world.worker(2, |endpoint| endpoint).await;
    let ids: Vec<_> = (0..6).map(|_| WorkId::new()).collect();
    for (n, id) in ids.iter().enumerate() {
        world
            .send(&format!("s{n}"), &Prompt::new("wait x").id(*id))
            .await;
    }
    for id in &ids {
        world.until(*id, WorkState::Running).await;
    }
    for done in 0..6 {
        world
            .shared
            .logged("begin wait x #1", (done + 2).min(6))
            .await;
        let log = world.shared.log();
        let count = |entry: &str| log.iter().filter(|e| *e == entry).count();
        assert!(
            count("begin wait x #1") - count("end wait x") <= 2,
            "{log:?}"
        );
        world.shared.gate.add_permits(1);
        world.shared.logged("end wait x", done + 1).await;
    }
    for id in &ids {
        world.until(*id, WorkState::Done).await;
    }
}
