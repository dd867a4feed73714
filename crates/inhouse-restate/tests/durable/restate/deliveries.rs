//! The retry policy of our handlers, with which Restate delivers again until there is a worker.

use std::time::Duration;

use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::support::{World, within};

/// The policy of the server, scaled from 70 attempts: it pauses an invocation that was not delivered three times.
const FEW_ATTEMPTS: &str = r#"
    default-retry-policy.initial-interval = "100ms"
    default-retry-policy.max-attempts = 3
    default-retry-policy.on-max-attempts = "pause"
"#;

/// One invocation of each service fails more often than the policy of the server allows: a turn that runs, a prompt of another session, and the
/// cancellation of a work item.
#[tokio::test(flavor = "multi_thread")]
async fn deliveries_without_a_worker_are_repeated_longer_than_the_server_does() {
    let world = World::start(FEW_ATTEMPTS).await;
    let worker = world.worker(100, |endpoint| endpoint).await;
    let [running, sent, cancelled] = [(); 3].map(|()| WorkId::new());
    world.send("a", &Prompt::new("wait a").id(running)).await;
    world.shared.logged("begin wait a #1", 1).await;
    worker.kill().await;
    let prompt = Prompt::new("say b").id(sent);
    world.send_one_way("b", "", &prompt).await;
    let path = format!("/InhouseWork/{cancelled}/cancel/send");
    let response = within(world.server.ingress("POST", &path, "")).await;
    assert_eq!(response.unwrap().0, 202);
    for service in ["InhouseTurn", "InhouseSession", "InhouseWork"] {
        within(world.exhausted(service)).await;
    }

    let _worker = world.worker(100, |endpoint| endpoint).await;
    world.shared.gate.add_permits(1);
    for (work, end) in [
        (running, WorkState::Done),
        (sent, WorkState::Done),
        (cancelled, WorkState::Cancelled),
    ] {
        world.until(work, end).await;
    }
}

impl World {
    /// Waits until an invocation of a service has failed more than three times, or is paused.
    async fn exhausted(&self, service: &str) {
        let query = format!(
            "select count(*) as found from sys_invocation
             where target_service_name = '{service}' and (retry_count > 3 or status = 'paused')"
        );
        let query = json!({ "query": query }).to_string();
        let mut pauses = interval(Duration::from_millis(100));
        pauses.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            pauses.tick().await;
            let response = self.server.admin("POST", "/query", &query).await;
            let (status, body) = response.unwrap();
            assert_eq!(status, 200, "{body}");
            let body: Value = serde_json::from_str(&body).unwrap();
            if body["rows"][0]["found"] != 0 {
                return;
            }
        }
    }
}
