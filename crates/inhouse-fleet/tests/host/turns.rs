//! A work item is answered once, in the session of its name.

use std::sync::Mutex;

use inhouse::message::Message;
use inhouse::{ExitStatus, HandlerError, Options};
use inhouse_fleet::{
    Answer, Fence, Host, HostErrorKind, Outcome, Question, TurnEvents, Work, async_trait,
};
use inhouse_store::{Leases as _, SessionStore as _};
use inhouse_testkit::fake::join;
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, answer, done, idle, key, mirror_prompt, play};

#[derive(Default)]
struct Events {
    fence: Mutex<Option<Fence>>,
    tags: Mutex<Vec<String>>,
}

#[async_trait]
impl TurnEvents for Events {
    async fn started(&self, fence: &Fence) {
        *self.fence.lock().unwrap() = Some(fence.clone());
    }

    async fn message(&self, message: &Message) {
        self.tags.lock().unwrap().push(message.tag());
    }

    async fn question(&self, _: &Question) -> Result<Option<Answer>, HandlerError> {
        unreachable!("no call is a question")
    }
}

#[tokio::test(start_paused = true)]
async fn turn_is_answered_and_stored_under_one_epoch() {
    let machine = Machine::new();
    let (host, work, events) = (
        machine.host(),
        Work::new("customer-42", "Hello"),
        Events::default(),
    );
    let turn = host.run_turn_with(&work, CancellationToken::new(), &events);
    let cli = machine.cli();
    let (outcome, cli) = join(turn, answer(cli, &work, "42")).await;
    let reply = done(outcome);

    assert_eq!((reply.text.as_deref(), reply.is_error), (Some("42"), false));
    assert_eq!(Some(&reply.fence), events.fence.lock().unwrap().as_ref());
    assert_eq!(reply.fence.key().unwrap(), key(&work));
    let tags = events.tags.lock().unwrap().clone();
    assert!(tags.contains(&"result/success".to_owned()), "{tags:?}");
    let id = work.session_id();
    assert!(cli.launched().has_arg(&format!("--session-id={id}")));
    assert_eq!(
        cli.launched().env("CLAUDE_CODE_PROJECT_DIR_NAME"),
        Some("inhouse-fleet")
    );
    assert_eq!(machine.results(&work).await, ["42"]);
    let store = machine.store.inner();
    assert_eq!(
        store.holder(&key(&work)).await.unwrap(),
        None,
        "the lease is released"
    );
    let current = store.fence(&key(&work), Some(reply.fence.epoch())).await;
    assert_eq!(current.unwrap(), reply.fence.epoch());
    assert_eq!((host.stats().active, host.stats().done), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn next_work_resumes_the_session() {
    let machine = Machine::new();
    let host = machine.host();
    let [first, second] = ["One", "Two"].map(|prompt| Work::new("customer-42", prompt));
    let cli = machine.cli();
    let (outcome, _) = play(&host, &first, answer(cli, &first, "1")).await;
    done(outcome);
    let cli = machine.cli();
    let (outcome, cli) = play(&host, &second, answer(cli, &second, "2")).await;
    assert_eq!(done(outcome).text.as_deref(), Some("2"));
    let id = second.session_id();
    assert!(cli.launched().has_arg(&format!("--resume={id}")));
}

#[tokio::test(start_paused = true)]
async fn answered_work_gets_its_stored_answer_without_a_cli() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("customer-42", "Hello"));
    let cli = machine.cli();
    let (outcome, _) = play(&host, &work, answer(cli, &work, "42")).await;
    let first = done(outcome);

    // A CLI would not start: there is no transport left.
    let again = done(host.run_turn(&work, CancellationToken::new()).await);
    assert_eq!(again.text, first.text);
    assert_eq!(again.result.get(), first.result.get());
    assert!(again.fence.epoch > first.fence.epoch);
    assert_eq!(host.stats().done, 1);
}

#[tokio::test(start_paused = true)]
async fn work_that_was_cut_off_is_continued() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("customer-42", "Hello"));
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        idle().await;
        cli.exit(ExitStatus::with_code(137));
    })
    .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Agent);
    assert!(error.counts());

    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        let sent = cli.expect_prompt().await;
        assert!(sent.text().contains("Continue"), "{}", sent.text());
        cli.turn("Continued.").await;
        cli.expect_end_of_input().await;
    })
    .await;
    assert_eq!(done(outcome).text.as_deref(), Some("Continued."));
}

#[tokio::test(start_paused = true)]
async fn error_of_the_options_is_the_reason_of_the_attempt() {
    let machine = Machine::new();
    let work = Work::new("customer-42", "Hello").tenant("acme");
    let host = Host::new(machine.store.clone(), async |work: &Work| {
        let bank: Result<Options, std::io::Error> = Err(std::io::Error::other(work.tenant.clone()));
        Ok(bank?)
    });
    let outcome = host.run_turn(&work, CancellationToken::new()).await;
    let error = outcome.unwrap_err();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (HostErrorKind::Options, "acme")
    );
    assert!(error.counts());
    let holder = machine.store.holder(&key(&work)).await.unwrap();
    assert_eq!(holder, None, "the lease is released");

    let host = Host::new(machine.store.clone(), async |_: &Work| {
        Ok(Options::new().fork_session(true))
    });
    let outcome = host.run_turn(&work, CancellationToken::new()).await;
    assert_eq!(outcome.unwrap_err().kind(), HostErrorKind::Options);
}

#[tokio::test(start_paused = true)]
async fn error_result_is_an_answer() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("customer-42", "Hello"));
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        cli.error_result("error_max_turns", &["too many turns"])
            .await;
        cli.state("idle").await;
        cli.exit(ExitStatus::with_code(1));
    })
    .await;
    let reply = done(outcome);
    assert!(reply.is_error);
    assert_eq!(reply.text.as_deref(), Some("too many turns"));
}

#[tokio::test(start_paused = true)]
async fn turns_wait_for_a_slot() {
    let machine = Machine::new();
    let host = machine.host().slots(1);
    let [first, second, third] = ["a", "b", "c"].map(|session| Work::new(session, "Hello"));
    let [mut one, two] = [machine.cli(), machine.cli()];
    let stop = CancellationToken::new();
    let turns = async {
        let first = host.run_turn(&first, CancellationToken::new());
        let second = host.run_turn(&second, CancellationToken::new());
        let stopped = host.run_turn(&third, stop.clone());
        tokio::join!(biased; first, second, stopped)
    };
    let cli = async {
        one.accept().await;
        one.expect_prompt().await;
        idle().await;
        assert_eq!(host.stats().active, 1);
        assert!(!machine.has_started_all());
        stop.cancel();
        mirror_prompt(&mut one, &first).await;
        one.turn("1").await;
        one.expect_end_of_input().await;
        drop(one);
        answer(two, &second, "2").await;
    };
    let ((one, two, stopped), ()) = join(turns, cli).await;
    assert_eq!(done(one).text.as_deref(), Some("1"));
    assert_eq!(done(two).text.as_deref(), Some("2"));
    assert!(matches!(stopped, Ok(Outcome::Cancelled)));
    assert!(machine.has_started_all());
}
