//! Without a handler nothing is asked, and nothing is allowed.

use inhouse::launch::{HostEnvironment, Launch};
use inhouse::permission::{CanUseTool, Decision, Policy};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};
use inhouse_testkit::fake::HostAnswer;
use serde_json::json;

use crate::support::{answer_to, bash, call};

fn asks_the_host(options: &Options) -> bool {
    let launch = Launch::plan(options, "claude", &HostEnvironment::default()).unwrap();
    let mut arguments = launch.command.args.iter();
    arguments.any(|argument| argument == "--permission-prompt-tool=stdio")
}

#[tokio::test(start_paused = true)]
async fn a_permission_asked_with_no_handler_is_never_allowed() {
    let answer = answer_to(Options::new(), bash("rm -r /")).await;
    let HostAnswer::Error { error, .. } = answer else {
        panic!("this must be refused, not {answer:?}");
    };
    assert!(error.contains("nobody decides about Bash"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_handler_for_questions_decides_about_nothing_else() {
    let options = Options::new().on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()));
    let plan = call("ExitPlanMode", json!({}));
    for asked in [bash("ls"), plan] {
        let answer = answer_to(options.clone(), asked).await;
        assert!(matches!(answer, HostAnswer::Error { .. }), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_for_plans_decides_about_nothing_else() {
    let options = Options::new().on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve()));
    let question = call("AskUserQuestion", json!({"questions": []}));
    for asked in [bash("ls"), question] {
        let answer = answer_to(options.clone(), asked).await;
        assert!(matches!(answer, HostAnswer::Error { .. }), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_and_plans_go_to_the_permission_handler_when_nobody_else_is_there() {
    let options = Options::new().permissions(async |asked: Asked<CanUseTool>| {
        Ok(Decision::deny(format!("not {}", asked.request.tool_name)))
    });
    for tool in ["AskUserQuestion", "ExitPlanMode"] {
        let asked = call(tool, json!({"questions": []}));
        let answer = answer_to(options.clone(), asked).await.payload();
        assert_eq!(answer["message"], format!("not {tool}"));
    }
}

#[test]
fn the_cli_asks_only_a_host_that_has_somebody_to_ask() {
    assert!(!asks_the_host(&Options::new()));
    let permissions = async |_: Asked<CanUseTool>| Ok(Decision::allow());
    assert!(asks_the_host(&Options::new().permissions(permissions)));
    assert!(asks_the_host(&Options::new().permissions(Policy::new())));
    let questions = async |_: Asked<QuestionRequest>| Ok(Answers::new());
    assert!(asks_the_host(&Options::new().on_question(questions)));
    let plans = async |_: Asked<PlanRequest>| Ok(PlanDecision::approve());
    assert!(asks_the_host(&Options::new().on_plan(plans)));
}
