use std::time::{Duration, Instant};

use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};

use super::support::{World, within};

#[tokio::test(flavor = "multi_thread")]
async fn prompts_of_a_session_are_answered_in_order() {
    let (world, _worker) = World::with_worker().await;
    world.send("a", &Prompt::new("wait 0")).await;
    world.shared.logged("begin wait 0 #1", 1).await;
    for n in 1..20 {
        world.send("a", &Prompt::new(format!("say {n}"))).await;
    }
    world.shared.gate.add_permits(1);
    world.shared.logged("end say 19", 1).await;
    let mut expected = vec!["begin wait 0 #1".to_owned(), "end wait 0".to_owned()];
    // Never two at once: each turn ends before the next one begins.
    expected.extend((1..20).flat_map(|n| [format!("begin say {n} #1"), format!("end say {n}")]));
    assert_eq!(world.shared.log(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_do_not_wait_for_each_other() {
    let (world, _worker) = World::with_worker().await;
    world.send("a", &Prompt::new("wait a")).await;
    world.shared.logged("begin wait a #1", 1).await;
    let reply = world.call("b", &Prompt::new("say b")).await;
    assert_eq!(reply.as_deref(), Ok("b"));
    assert!(!world.shared.log().contains(&"end wait a".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_way_prompts_are_accepted_without_a_worker() {
    let (world, worker) = World::with_worker().await;
    worker.kill().await;
    for n in 0..5 {
        world
            .send_one_way("a", "", &Prompt::new(format!("say {n}")))
            .await;
    }
    let _worker = world.worker(1, |endpoint| endpoint).await;
    world.shared.logged("end say 4", 1).await;
    let expected = (0..5).flat_map(|n| [format!("begin say {n} #1"), format!("end say {n}")]);
    assert_eq!(world.shared.log(), expected.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn delayed_prompt_does_not_block_its_session() {
    let (world, _worker) = World::with_worker().await;
    let begin = Instant::now();
    world
        .send_one_way("a", "?delay=15s", &Prompt::new("say later"))
        .await;
    assert_eq!(
        world.call("a", &Prompt::new("say now")).await.as_deref(),
        Ok("now")
    );
    world.shared.logged("end say later", 1).await;
    assert!(begin.elapsed() >= Duration::from_secs(15));
    assert_eq!(world.shared.log()[2], "begin say later #1");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_shows_the_work_and_its_reply() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    assert_eq!(world.status(id).await.state, WorkState::Unknown);
    world.send("a", &Prompt::new("wait a").id(id)).await;
    world.shared.logged("begin wait a #1", 1).await;
    assert_eq!(world.status(id).await.state, WorkState::Running);
    let next = WorkId::new();
    assert_eq!(
        world.enqueue("a", &Prompt::new("say b").id(next)).await,
        Ok(next)
    );
    assert_eq!(world.status(next).await.state, WorkState::Queued);
    let response = world.server.ingress("POST", "/InhouseSession/a/status", "");
    let (_, body) = within(response).await.unwrap();
    assert_eq!(body, format!(r#"{{"work":"{id}"}}"#));
    world.shared.gate.add_permits(1);
    let status = world.until(id, WorkState::Done).await;
    assert_eq!(status.reply.unwrap().text.as_deref(), Some("a"));
}
