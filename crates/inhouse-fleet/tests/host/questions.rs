//! Calls that wait for a person.

use std::collections::HashMap;
use std::sync::Mutex;

use inhouse::HandlerError;
use inhouse::hook::Matcher;
use inhouse_fleet::{
    Answer, Host, HostErrorKind, Outcome, Question, QuestionId, TurnEvents, Work, async_trait,
};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, mirror_prompt};

/// An engine that keeps questions and answers.
#[derive(Default)]
struct Engine {
    questions: Mutex<Vec<Question>>,
    answers: Mutex<HashMap<QuestionId, Answer>>,
    fails: bool,
}

#[async_trait]
impl TurnEvents for Engine {
    async fn question(&self, question: &Question) -> Result<Option<Answer>, HandlerError> {
        if self.fails {
            return Err(HandlerError::new("the database is down"));
        }
        self.questions.lock().unwrap().push(question.clone());
        Ok(self.answers.lock().unwrap().get(&question.id).cloned())
    }
}

fn host(machine: &Machine) -> Host {
    machine.host().ask(Matcher::tool("mcp__bank__*"))
}

async fn call_hook(cli: &mut FakeCli, id: &str) -> Value {
    let call =
        json!({"tool_name": "mcp__bank__charge", "tool_input": {"cents": 5}, "tool_use_id": id});
    let output = cli.call_hook("PreToolUse", call).await;
    output["hookSpecificOutput"].clone()
}

/// Returns the request for a hook about `toolu_1`.
fn hook_request(callback: &Value) -> Value {
    let call = json!({
        "session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "mcp__bank__charge", "tool_input": {}, "tool_use_id": "toolu_1",
    });
    json!({"subtype": "hook_callback", "callback_id": callback, "input": call, "tool_use_id": "toolu_1"})
}

/// Begins the turn of a work.
async fn begin(cli: &mut FakeCli, work: &Work) {
    cli.accept().await;
    cli.expect_prompt().await;
    mirror_prompt(cli, work).await;
    cli.state("running").await;
}

/// Ends the turn as the CLI does after a deferred call: the result has the last one.
async fn deferred(cli: &mut FakeCli, work: &Work, id: &str) {
    cli.send(json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "",
        "session_id": cli.session_id(), "user_message_uuid": work.id.to_string(),
        "stop_reason": "tool_deferred", "terminal_reason": "tool_deferred",
        "deferred_tool_use": {"id": id, "name": "mcp__bank__charge", "input": {"cents": 5}},
    }))
    .await;
    cli.state("idle").await;
}

#[tokio::test(start_paused = true)]
async fn call_is_stored_as_a_question_before_it_is_deferred() {
    let machine = Machine::new();
    let (host, work, engine) = (host(&machine), Work::new("a", "Pay."), Engine::default());
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, ()) = join(turn, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        let output = call_hook(&mut cli, "toolu_1").await;
        assert_eq!(output["permissionDecision"], "defer");
        assert_eq!(engine.questions.lock().unwrap().len(), 1, "stored before");
        // The CLI would forget the first of two deferred calls.
        let output = call_hook(&mut cli, "toolu_2").await;
        assert_eq!(output["permissionDecision"], "deny");
        let reason = output["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("again"), "{reason}");
        deferred(&mut cli, &work, "toolu_1").await;
        cli.expect_end_of_input().await;
    })
    .await;
    let Ok(Outcome::Deferred(questions)) = outcome else {
        panic!("{outcome:?}");
    };
    let [question] = &questions[..] else {
        panic!("{questions:?}");
    };
    assert_eq!(
        (&*question.call, &*question.tool),
        ("toolu_1", "mcp__bank__charge")
    );
    assert_eq!(question.input.get(), r#"{"cents":5}"#);
    assert_eq!(question.work, work.id);
    assert_eq!(engine.questions.lock().unwrap().len(), 1);
    assert_eq!(host.stats().deferred, 1);
}

#[tokio::test(start_paused = true)]
async fn answers_decide_about_the_calls() {
    let machine = Machine::new();
    let (host, work, engine) = (host(&machine), Work::new("a", "Pay."), Engine::default());
    let answers = [
        Answer::Allow,
        Answer::AllowWith(json!({"cents": 1})),
        Answer::Deny("too much".to_owned()),
    ];
    let ids = ["toolu_1", "toolu_2", "toolu_3"];
    for (id, answer) in ids.into_iter().zip(answers) {
        let question = QuestionId::of(work.id, id);
        engine.answers.lock().unwrap().insert(question, answer);
    }
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, outputs) = join(turn, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        let mut outputs = Vec::new();
        for id in ids {
            outputs.push(call_hook(&mut cli, id).await);
        }
        cli.turn("Paid.").await;
        cli.expect_end_of_input().await;
        outputs
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}");
    let decisions: Vec<_> = outputs
        .iter()
        .map(|output| &output["permissionDecision"])
        .collect();
    assert_eq!(decisions, ["allow", "allow", "deny"]);
    assert_eq!(outputs[0].get("updatedInput"), None);
    assert_eq!(outputs[1]["updatedInput"], json!({"cents": 1}));
    assert_eq!(outputs[2]["permissionDecisionReason"], "too much");
}

#[tokio::test(start_paused = true)]
async fn call_with_an_input_that_is_not_an_object_is_not_made() {
    let machine = Machine::new();
    let (host, work, engine) = (host(&machine), Work::new("a", "Pay."), Engine::default());
    let question = QuestionId::of(work.id, "toolu_1");
    let number = Answer::AllowWith(json!(1));
    engine.answers.lock().unwrap().insert(question, number);
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, output) = join(turn, async {
        begin(&mut cli, &work).await;
        let output = call_hook(&mut cli, "toolu_1").await;
        cli.turn("Not paid.").await;
        cli.expect_end_of_input().await;
        output
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}");
    assert_eq!(output["permissionDecision"], "deny");
    assert_eq!(output.get("updatedInput"), None);
}

/// The CLI asks about a call that was deferred for a work which was given up, before it begins the next one.
#[tokio::test(start_paused = true)]
async fn call_of_another_work_is_denied_whatever_the_engine_knows() {
    let machine = Machine::new();
    let (host, engine) = (host(&machine), Engine::default());
    let [given_up, next] = ["Pay.", "What time is it?"].map(|prompt| Work::new("a", prompt));
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&given_up, CancellationToken::new(), &engine);
    let (outcome, ()) = join(turn, async {
        begin(&mut cli, &given_up).await;
        call_hook(&mut cli, "toolu_1").await;
        deferred(&mut cli, &given_up, "toolu_1").await;
        cli.expect_end_of_input().await;
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Deferred(_))), "{outcome:?}");

    // As after a restart of the engine with an answer that was given for the other work.
    for work in [given_up.id, next.id] {
        let question = QuestionId::of(work, "toolu_1");
        let mut answers = engine.answers.lock().unwrap();
        answers.insert(question, Answer::Allow);
    }
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&next, CancellationToken::new(), &engine);
    let (outcome, ()) = join(turn, async {
        begin(&mut cli, &next).await;
        let output = call_hook(&mut cli, "toolu_1").await;
        assert_eq!(output["permissionDecision"], "deny");
        let reason = output["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("cancelled"), "{reason}");
        // Its own calls are asked about.
        let output = call_hook(&mut cli, "toolu_2").await;
        assert_eq!(output["permissionDecision"], "defer");
        deferred(&mut cli, &next, "toolu_2").await;
        cli.expect_end_of_input().await;
    })
    .await;
    let Ok(Outcome::Deferred(questions)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((questions.len(), &*questions[0].call), (1, "toolu_2"));
    assert_eq!(engine.questions.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn call_of_a_subagent_is_denied() {
    let machine = Machine::new();
    let (host, work, engine) = (host(&machine), Work::new("a", "Pay."), Engine::default());
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, output) = join(turn, async {
        begin(&mut cli, &work).await;
        let call = json!({
            "tool_name": "mcp__bank__charge", "tool_input": {"cents": 5}, "tool_use_id": "toolu_1",
            "agent_id": "a1b2", "agent_type": "general-purpose",
        });
        let output = cli.call_hook("PreToolUse", call).await;
        cli.turn("I will do it.").await;
        cli.expect_end_of_input().await;
        output["hookSpecificOutput"].clone()
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}");
    assert_eq!(output["permissionDecision"], "deny");
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("main agent"), "{reason}");
    assert!(engine.questions.lock().unwrap().is_empty());
}

/// Another version of the worker has no such tool: the call that a person has allowed is not made.
#[tokio::test(start_paused = true)]
async fn call_that_is_not_available_any_more_is_a_failed_attempt() {
    let machine = Machine::new();
    let (host, work) = (host(&machine), Work::new("a", "Pay."));
    for attempt in 1..=2 {
        let mut cli = machine.cli();
        let turn = host.run_turn(&work, CancellationToken::new());
        let (outcome, ()) = join(turn, async {
            // The second time the session returns the stored result.
            if attempt == 2 {
                cli.accept().await;
                cli.expect_end_of_input().await;
                return;
            }
            begin(&mut cli, &work).await;
            cli.send(json!({
                "type": "result", "subtype": "success", "is_error": false, "result": "",
                "session_id": cli.session_id(), "user_message_uuid": work.id.to_string(),
                "terminal_reason": "tool_deferred_unavailable",
            }))
            .await;
            cli.state("idle").await;
            cli.expect_end_of_input().await;
        })
        .await;
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), HostErrorKind::Agent);
        assert!(error.to_string().contains("not available"), "{error}");
        assert!(error.counts());
    }
}

#[tokio::test(start_paused = true)]
async fn question_is_asked_while_the_session_connects() {
    let machine = Machine::new();
    let (host, work, engine) = (host(&machine), Work::new("a", "Pay."), Engine::default());
    let question = QuestionId::of(work.id, "toolu_1");
    engine
        .answers
        .lock()
        .unwrap()
        .insert(question, Answer::Allow);
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, ()) = join(turn, async {
        let initialize = cli.expect_request("initialize").await;
        let callback = &initialize.body()["hooks"]["PreToolUse"][0]["hookCallbackIds"][0];
        let id = cli.ask(hook_request(callback)).await;
        let output = cli.expect_answer(&id).await.payload();
        assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "allow");
        initialize
            .succeed(json!({"hook_on_failure_supported": true}))
            .await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.turn("Paid.").await;
        cli.expect_end_of_input().await;
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn question_that_cannot_be_stored_kills_the_cli() {
    let machine = Machine::new();
    let (host, work) = (host(&machine), Work::new("a", "Pay."));
    let engine = Engine {
        fails: true,
        ..Engine::default()
    };
    let mut cli = machine.cli();
    let turn = host.run_turn_with(&work, CancellationToken::new(), &engine);
    let (outcome, ()) = join(turn, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        let callback = &cli.launched().initialize()["hooks"]["PreToolUse"][0];
        assert_eq!(callback["onFailure"], "block");
        let request = hook_request(&callback["hookCallbackIds"][0]);
        cli.ask(request).await;
        cli.expect_kill().await;
    })
    .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Events);
    assert!(
        error.to_string().contains("the database is down"),
        "{error}"
    );
    assert!(!error.counts());
}

#[tokio::test(start_paused = true)]
async fn call_that_another_hook_defers_is_an_error() {
    let machine = Machine::new();
    let (host, work) = (host(&machine), Work::new("a", "Pay."));
    let mut cli = machine.cli();
    let turn = host.run_turn(&work, CancellationToken::new());
    let (outcome, ()) = join(turn, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        deferred(&mut cli, &work, "toolu_1").await;
        cli.expect_end_of_input().await;
    })
    .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Options);
    assert!(error.to_string().contains("Host::ask"), "{error}");
}
