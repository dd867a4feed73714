//! Turn and cost limits.

use inhouse::message::{ResultSubtype, TerminalReason};
use inhouse::{ErrorKind, query};
use inhouse_testkit::Turn;
use inhouse_testkit::model::Usage;
use serde_json::json;

use crate::world::{self, result_of};

fn one_more_step(id: &str) -> Turn {
    Turn::new().tool_use_with_id(id, "Bash", json!({"command": "true"}))
}

#[tokio::test]
async fn turn_limit_ends_the_run() {
    world::pinned(async |world| {
        world
            .model
            .turn(one_more_step("toolu_1"))
            .turn(one_more_step("toolu_2"));

        let options = world.options().max_turns(2).allow_tools(["Bash"]);
        let stream = query("Go on.").options(options).await.unwrap();
        let error = stream.text().await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Failed);
        let result = error.result().unwrap();
        assert_eq!(result.subtype, ResultSubtype::ErrorMaxTurns);
        assert_eq!(result.terminal_reason, Some(TerminalReason::MaxTurns));
        assert!(
            error.to_string().contains("`Options::max_turns`"),
            "{error}"
        );
        assert_eq!(world.model.conversation().len(), 2);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn cost_limit_ends_the_run() {
    world::pinned(async |world| {
        let dear = one_more_step("toolu_1").usage(Usage::new(1_000_000, 100_000));
        world.model.turn(dear);

        let options = world.options().max_budget_usd(0.01).allow_tools(["Bash"]);
        let messages = world.read_query(query("Go on.").options(options)).await;

        let result = result_of(&messages);
        assert_eq!(result.subtype, ResultSubtype::ErrorMaxBudgetUsd);
        assert!(result.total_cost_usd.unwrap() > 0.01);
        assert!(result.is_error);
        assert_eq!(world.model.conversation().len(), 1);
    })
    .await;
}
