//! Calls that wait for a person, over several hosts.

use inhouse::hook::{HookOutput, Matcher, PreToolUse};
use inhouse_fleet::{Answer, Answers, Host, Outcome, Question, QuestionId, Work};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::world::{self, World, done};

fn host(world: &World) -> Host {
    let host = world.host().ask(Matcher::tool("mcp__bank__*"));
    host.ask(Matcher::tool("AskUserQuestion"))
}

fn charge(turn: Turn, id: &str, cents: u64) -> Turn {
    turn.tool_use_with_id(id, "mcp__bank__charge", json!({"cents": cents}))
}

/// Runs a work item until it has questions.
async fn questions(world: &World, work: &Work) -> Vec<Question> {
    let outcome = host(world).run_turn(work, CancellationToken::new()).await;
    match outcome {
        Ok(Outcome::Deferred(questions)) => questions,
        other => panic!("the work has no questions: {other:?}"),
    }
}

/// Runs a work item on another host, with answers; returns the answer to the work.
async fn answered(world: &World, work: &Work, answers: Answers) -> String {
    let (host, stop) = (host(world), CancellationToken::new());
    let reply = done(host.run_turn_with(work, stop, &answers).await);
    reply.text.unwrap_or_default()
}

#[tokio::test]
async fn allowed_call_is_made_once_on_another_host() {
    world::pinned(async |world| {
        world
            .model
            .turn(charge(Turn::new(), "toolu_1", 5))
            .turn("Charged.");
        let work = Work::new("customer-42", "Charge 5.");
        let asked = questions(world, &work).await;
        let [question] = &asked[..] else {
            panic!("{asked:?}")
        };
        assert_eq!(
            (&*question.tool, &*question.call),
            ("mcp__bank__charge", "toolu_1")
        );
        assert_eq!(question.input.get(), r#"{"cents":5}"#);
        assert!(world.bank.charges().is_empty());

        // Without an answer: the same question, and no request to the model.
        let again = questions(world, &work).await;
        assert_eq!(again[0].id, question.id);
        assert_eq!(world.model.conversation().len(), 1);

        let answers = Answers::from([(question.id, Answer::Allow)]);
        assert_eq!(answered(world, &work, answers.clone()).await, "Charged.");
        assert_eq!(
            answered(world, &work, answers).await,
            "Charged.",
            "the stored answer"
        );
        assert_eq!(world.bank.charges(), [5]);
        let continued = "Continue from where you left off.";
        let seen = ["Charge 5.", "call toolu_1", "result charged 5", continued];
        assert_eq!(world.last_seen(), seen);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn input_of_a_call_can_be_changed() {
    world::pinned(async |world| {
        world
            .model
            .turn(charge(Turn::new(), "toolu_1", 500))
            .turn("Charged.");
        let work = Work::new("customer-42", "Charge 500.");
        let asked = questions(world, &work).await;
        let less = Answer::AllowWith(json!({"cents": 5}));
        let answers = Answers::from([(asked[0].id, less)]);
        assert_eq!(answered(world, &work, answers).await, "Charged.");
        assert_eq!(world.bank.charges(), [5]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn denied_call_is_not_made_and_the_model_reads_why() {
    world::pinned(async |world| {
        world
            .model
            .turn(charge(Turn::new(), "toolu_1", 5))
            .turn("Then not.");
        let work = Work::new("customer-42", "Charge 5.");
        let asked = questions(world, &work).await;
        let no = Answer::Deny("not on Sundays".to_owned());
        let answers = Answers::from([(asked[0].id, no)]);
        assert_eq!(answered(world, &work, answers).await, "Then not.");
        assert!(world.bank.charges().is_empty());
        let seen = world.last_seen();
        assert!(seen[2].contains("not on Sundays"), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

/// The CLI forgets the first of two deferred calls (2.1.325), so one waits at a time.
#[tokio::test]
async fn parallel_calls_are_asked_about_one_after_another_and_made_once() {
    world::pinned(async |world| {
        let calls = charge(charge(Turn::new(), "toolu_1", 5), "toolu_2", 7);
        let again = charge(Turn::new(), "toolu_3", 7);
        world.model.turn(calls).turn(again).turn("Charged.");
        let work = Work::new("customer-42", "Charge 5 and 7.");
        let first = questions(world, &work).await;
        assert_eq!((first.len(), &*first[0].call), (1, "toolu_1"));

        let answers = Answers::from([(first[0].id, Answer::Allow)]);
        let outcome = host(world)
            .run_turn_with(&work, CancellationToken::new(), &answers)
            .await;
        let Ok(Outcome::Deferred(second)) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!((second.len(), &*second[0].call), (1, "toolu_3"));
        assert_eq!(world.bank.charges(), [5]);
        let seen = world.last_seen();
        assert_eq!(
            seen[..3],
            ["Charge 5 and 7.", "call toolu_1", "call toolu_2"]
        );
        assert!(
            seen.iter()
                .any(|block| block.contains("Make exactly this call again")),
            "{seen:?}"
        );
        assert!(seen.contains(&"result charged 5".to_owned()), "{seen:?}");

        let answers = [(first[0].id, Answer::Allow), (second[0].id, Answer::Allow)];
        assert_eq!(answered(world, &work, answers.into()).await, "Charged.");
        assert_eq!(world.bank.charges(), [5, 7]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn call_in_parallel_that_needs_no_answer_is_made_at_once() {
    world::pinned(async |world| {
        let notes = world.directory("volume").join("notes.txt");
        std::fs::create_dir_all(world.directory("volume")).unwrap();
        std::fs::write(&notes, "5 dollars").unwrap();
        let calls = charge(Turn::new(), "toolu_1", 5);
        let calls = calls.tool_use_with_id("toolu_2", "Read", json!({"file_path": notes}));
        world.model.turn(calls).turn("Charged.");
        let work = Work::new("customer-42", "Charge 5, and read.");
        let asked = questions(world, &work).await;
        assert_eq!(asked.len(), 1);
        let answers = Answers::from([(asked[0].id, Answer::Allow)]);
        assert_eq!(answered(world, &work, answers).await, "Charged.");
        assert_eq!(world.bank.charges(), [5]);
        let seen = world.last_seen();
        assert!(
            seen.iter().any(|block| block.contains("5 dollars")),
            "{seen:?}"
        );
        assert!(seen.contains(&"result charged 5".to_owned()), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

/// The CLI asks about the call of the work that was given up, and the host denies it.
#[tokio::test]
async fn next_work_follows_one_that_was_given_up_with_a_question() {
    world::pinned(async |world| {
        let given_up = Work::new("customer-42", "Charge 5.");
        let next = Work::new("customer-42", "What time is it?");
        world
            .model
            .turn(charge(Turn::new(), "toolu_1", 5))
            .turn("Then not.")
            .turn("Noon.");
        questions(world, &given_up).await;

        // An engine that would allow the call, because a person did so before the work was given up.
        let works = [given_up.id, next.id];
        let allowed = works.map(|work| (QuestionId::of(work, "toolu_1"), Answer::Allow));
        assert_eq!(answered(world, &next, allowed.into()).await, "Noon.");
        assert!(world.bank.charges().is_empty());
        let seen = world.last_seen();
        assert_eq!(seen[..2], ["Charge 5.", "call toolu_1"]);
        assert!(seen[2].contains("cancelled or parked"), "{seen:?}");
        assert_eq!(seen.last().unwrap(), "What time is it?");
        // The result of the stale turn answers the prompt of that turn.
        assert_eq!(
            answered(world, &given_up, Answers::default()).await,
            "Then not."
        );
        world.model.assert_done();
    })
    .await;
}

fn errand() -> Turn {
    let errand = json!({
        "description": "pay", "prompt": "Charge 5.", "subagent_type": "general-purpose", "run_in_background": false,
    });
    Turn::new().tool_use_with_id("toolu_errand", "Agent", errand)
}

#[tokio::test]
async fn call_of_a_subagent_is_denied_and_the_main_agent_makes_it() {
    world::pinned(async |world| {
        let of_agent = |request: &ModelRequest| request.agent_id().is_some();
        world
            .model
            .once(of_agent, charge(Turn::new(), "toolu_inner", 5))
            .once(of_agent, "The main agent has to charge.")
            .turn(errand())
            .turn(charge(Turn::new(), "toolu_1", 5))
            .turn("Charged.");
        let work = Work::new("customer-42", "Let somebody charge 5.");
        let asked = questions(world, &work).await;
        assert_eq!((asked.len(), &*asked[0].call), (1, "toolu_1"));
        assert!(world.bank.charges().is_empty());
        let seen = world.seen();
        let denied = seen
            .iter()
            .flatten()
            .any(|block| block.contains("main agent has to make this call"));
        assert!(denied, "{seen:?}");
        let answers = Answers::from([(asked[0].id, Answer::Allow)]);
        assert_eq!(answered(world, &work, answers).await, "Charged.");
        assert_eq!(world.bank.charges(), [5]);
        world.model.assert_done();
    })
    .await;
}

/// Why the calls of subagents are denied: the turn continues without the call, and the CLI does not ask about it again.
#[tokio::test]
async fn deferred_call_of_a_subagent_ends_only_the_subagent() {
    world::pinned(async |world| {
        let of_agent = |request: &ModelRequest| request.agent_id().is_some();
        world
            .model
            .once(of_agent, charge(Turn::new(), "toolu_inner", 5))
            .turn(errand())
            .turn("I do not know.");
        let work = Work::new("customer-42", "Let somebody charge 5.");
        let host = world.host_with(|options| {
            options.hook(Matcher::tool("mcp__bank__*"), async |_: PreToolUse, _| {
                Ok(HookOutput::defer())
            })
        });
        let reply = done(host.run_turn(&work, CancellationToken::new()).await);
        assert_eq!(reply.text.as_deref(), Some("I do not know."));
        assert!(world.bank.charges().is_empty());
        world.model.assert_done();
    })
    .await;
}

/// The host dies while the call runs that a person has allowed.
#[tokio::test]
async fn allowed_call_that_was_cut_off_is_not_made_again() {
    world::pinned(async |world| {
        world
            .model
            .turn(charge(Turn::new(), "toolu_1", 666))
            .turn("I will look at it.");
        let work = Work::new("customer-42", "Charge it.");
        let asked = questions(world, &work).await;
        let answers = Answers::from([(asked[0].id, Answer::Allow)]);
        let first = host(world);
        let turn = first.run_turn_with(&work, CancellationToken::new(), &answers);
        tokio::select! {
            outcome = turn => panic!("the call does not end: {outcome:?}"),
            // Drops the turn, which kills the CLI.
            () = world.bank.hangs() => {}
        }
        assert_eq!(answered(world, &work, answers).await, "I will look at it.");
        assert_eq!(world.bank.charges(), [666]);
        let seen = world.last_seen();
        assert_eq!(seen[..2], ["Charge it.", "call toolu_1"]);
        assert!(
            seen[2].contains("interrupted") || seen[2].contains("unknown"),
            "{seen:?}"
        );
        assert_eq!(world.model.conversation().len(), 2);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn question_of_the_model_is_answered_by_a_person() {
    world::pinned(async |world| {
        let input = json!({"questions": [{
            "question": "Which colour?", "header": "Colour", "multiSelect": false,
            "options": [
                {"label": "Red", "description": "warm"},
                {"label": "Blue", "description": "cold"},
            ],
        }]});
        let call = Turn::new().tool_use_with_id("toolu_1", "AskUserQuestion", input);
        world.model.turn(call).turn("Painted.");
        let work = Work::new("customer-42", "Paint.");
        let asked = questions(world, &work).await;
        let input: Value = serde_json::from_str(asked[0].input.get()).unwrap();
        assert_eq!(input["questions"][0]["question"], "Which colour?");
        let answer = asked[0].answered_with([("Which colour?", "Red")]);
        let answers = Answers::from([(asked[0].id, answer)]);
        assert_eq!(answered(world, &work, answers).await, "Painted.");
        let seen = world.last_seen();
        assert!(seen[2].contains("Red"), "{seen:?}");
        world.model.assert_done();
    })
    .await;
}
