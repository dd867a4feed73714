//! Helpers for soak tests whose CLI must make no further request.

use std::time::Duration;

pub(crate) use inhouse_testkit::soak::*;
use inhouse_testkit::{ScriptedModel, Turn};
use serde_json::json;

/// How long a request of a dead CLI may be on its way to the model.
const LAST_REQUEST: Duration = Duration::from_millis(300);

/// Further model requests, counted over the runs of a scenario.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) failures: u32,
    requests: usize,
}

impl Tally {
    /// Adds a run after whose end the model got this many requests.
    pub(crate) fn add(&mut self, requests: usize) {
        self.failures += u32::from(requests > 0);
        self.requests += requests;
    }

    pub(crate) fn detail(&self) -> String {
        format!("{} further model requests", self.requests)
    }
}

/// Has the model call the tool `wait` of the server `s` once.
pub(crate) fn script_one_call(model: &ScriptedModel) {
    model.turn(Turn::new().tool_use_with_id("toolu_1", "mcp__s__wait", json!({})));
    model.otherwise(|_| "Going on.");
}

/// Returns how many requests the model got after the first one.
pub(crate) async fn further_requests(model: &ScriptedModel) -> usize {
    let mut requests = 0;
    while model.next_request(LAST_REQUEST).await.is_ok() {
        requests += 1;
    }
    requests
}
