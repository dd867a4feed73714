//! Requests without a handler are refused.

use inhouse::launch::{HostEnvironment, Plan};
use inhouse::permission::{CanUseTool, Decision, Policy};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};
use inhouse_testkit::fake::HostAnswer;
use serde_json::json;

use crate::support::{answer_to, bash, call};

fn asks_the_host(options: &Options) -> bool {
    let plan = Plan::new(options, "claude", &HostEnvironment::default()).unwrap();
    let mut arguments = plan.launch.command.args.iter();
    arguments.any(|argument| argument == "--permission-prompt-tool=stdio")
}

#[tokio::test(start_paused = true)]
async fn permission_without_a_handler_is_refused() {
    let answer = answer_to(Options::new(), bash("rm -r /")).await;
    let HostAnswer::Error { error, .. } = answer else {
        panic!("the request must be refused, not answered with {answer:?}");
    };
    assert!(error.contains("no handler decides about Bash"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn question_handler_decides_nothing_else() {
    let options = Options::new().on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()));
    let plan = call("ExitPlanMode", json!({}));
    for asked in [bash("ls"), plan] {
        let answer = answer_to(options.clone(), asked).await;
        assert!(matches!(answer, HostAnswer::Error { .. }), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn plan_handler_decides_nothing_else() {
    let options = Options::new().on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve()));
    let question = call("AskUserQuestion", json!({"questions": []}));
    for asked in [bash("ls"), question] {
        let answer = answer_to(options.clone(), asked).await;
        assert!(matches!(answer, HostAnswer::Error { .. }), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn permission_handler_is_the_fallback_for_questions_and_plans() {
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
fn permission_prompts_are_enabled_only_with_a_handler() {
    assert!(!asks_the_host(&Options::new()));
    let permissions = async |_: Asked<CanUseTool>| Ok(Decision::allow());
    assert!(asks_the_host(&Options::new().permissions(permissions)));
    assert!(asks_the_host(&Options::new().permissions(Policy::new())));
    let questions = async |_: Asked<QuestionRequest>| Ok(Answers::new());
    assert!(asks_the_host(&Options::new().on_question(questions)));
    let plans = async |_: Asked<PlanRequest>| Ok(PlanDecision::approve());
    assert!(asks_the_host(&Options::new().on_plan(plans)));
}
