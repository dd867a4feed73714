//! Handlers that fail deny the call.

use std::future::pending;
use std::time::Duration;

use inhouse::permission::{CanUseTool, Decision};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, HandlerError, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{answer_to, bash, call, denial};

fn question() -> Value {
    call(
        "AskUserQuestion",
        json!({"questions": [{"question": "Which?", "header": "W", "options": []}]}),
    )
}

fn plan() -> Value {
    call("ExitPlanMode", json!({"plan": "# Dig"}))
}

#[tokio::test(start_paused = true)]
async fn handler_error_denies_the_call() {
    let options = Options::new()
        .permissions(async |_: Asked<CanUseTool>| Err(HandlerError::new("the vault is locked")))
        .on_question(async |_: Asked<QuestionRequest>| {
            Err(HandlerError::new("the vault is locked"))
        })
        .on_plan(async |_: Asked<PlanRequest>| Err(HandlerError::new("the vault is locked")));
    for asked in [bash("ls"), question(), plan()] {
        let message = denial(answer_to(options.clone(), asked.clone()).await);
        let tool = asked["tool_name"].as_str().unwrap();
        assert!(message.contains(tool), "{message}");
        assert!(message.contains("failed: the vault is locked"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn any_error_type_denies_with_its_sources() {
    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the limit is odd")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let options = Options::new().permissions(async |_: Asked<CanUseTool>| {
        "many".parse::<u8>().map_err(Outer)?;
        Ok(Decision::allow())
    });
    let message = denial(answer_to(options, bash("ls")).await);
    assert!(
        message.contains("the limit is odd: invalid digit"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn panic_denies_the_call_and_the_session_survives() {
    async fn panic<Q, A>(_: Q) -> Result<A, HandlerError> {
        panic!("hunter2")
    }
    let options = Options::new()
        .permissions(panic::<Asked<CanUseTool>, Decision>)
        .on_question(panic::<Asked<QuestionRequest>, Answers>)
        .on_plan(panic::<Asked<PlanRequest>, PlanDecision>);
    FakeCli::play_cli(options, async |cli| {
        for asked in [bash("ls"), question(), plan(), bash("ls")] {
            let id = cli.ask(asked).await;
            let message = denial(cli.expect_answer(&id).await);
            assert!(message.contains("panicked"), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn panic_before_the_future_exists_denies_the_call() {
    let options = Options::new().permissions(
        |_: Asked<CanUseTool>| -> std::future::Ready<Result<Decision, HandlerError>> {
            panic!("early")
        },
    );
    let message = denial(answer_to(options, bash("ls")).await);
    assert!(message.contains("panicked"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn timeout_denies_the_call() {
    let options = Options::new()
        .permission_timeout(Duration::from_secs(30))
        .permissions(async |_: Asked<CanUseTool>| pending().await)
        .on_question(async |_: Asked<QuestionRequest>| pending().await)
        .on_plan(async |_: Asked<PlanRequest>| pending().await);
    for asked in [bash("ls"), question(), plan()] {
        let options = options.clone();
        FakeCli::play_cli(options, async move |cli| {
            let start = Instant::now();
            cli.set_deadline(Duration::from_secs(60));
            let id = cli.ask(asked).await;
            let message = denial(cli.expect_answer(&id).await);
            assert!(message.contains("did not answer within 30s"), "{message}");
            assert_eq!(start.elapsed(), Duration::from_secs(30));
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn handler_can_take_hours_without_a_timeout() {
    let options = Options::new().permissions(async |_: Asked<CanUseTool>| {
        let thought = tokio::time::timeout(Duration::from_secs(8 * 60 * 60), pending::<()>());
        thought.await.expect_err("nothing comes of it");
        Ok(Decision::allow())
    });
    FakeCli::play_cli(options, async |cli| {
        cli.set_deadline(Duration::from_secs(9 * 60 * 60));
        let id = cli.ask(bash("ls")).await;
        assert_eq!(cli.expect_answer(&id).await.payload()["behavior"], "allow");
    })
    .await;
}
