//! A turn that is stopped or dropped leaves no CLI behind.

use inhouse_fleet::{Outcome, Work};
use inhouse_store::{Leases as _, SessionStore as _};
use inhouse_testkit::fake::join;
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, answer, done, idle, key, mirror_prompt, play, seconds};

#[tokio::test(start_paused = true)]
async fn stop_kills_the_cli_and_waits_until_it_is_gone() {
    let machine = Machine::new();
    let (host, work, stop) = (
        machine.host(),
        Work::new("a", "Hello"),
        CancellationToken::new(),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.state("running").await;
        idle().await;
        stop.cancel();
        cli.expect_kill().await;
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)), "{outcome:?}");
    let store = machine.store.inner();
    assert_eq!(store.read(&key(&work).main()).await.unwrap().len(), 1);
    assert_eq!(store.holder(&key(&work)).await.unwrap(), None);
    assert_eq!(host.stats().cancelled, 1);

    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, &work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("Continued.").await;
        cli.expect_end_of_input().await;
    })
    .await;
    assert_eq!(done(outcome).text.as_deref(), Some("Continued."));
}

#[tokio::test(start_paused = true)]
async fn stop_while_the_cli_starts_kills_it() {
    let machine = Machine::new();
    let (host, work, stop) = (
        machine.host(),
        Work::new("a", "Hello"),
        CancellationToken::new(),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        // `initialize` stays without an answer.
        idle().await;
        stop.cancel();
        cli.expect_kill().await;
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)), "{outcome:?}");
    assert_eq!(machine.store.holder(&key(&work)).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn stop_before_the_start_starts_nothing() {
    let machine = Machine::new();
    let (host, stop) = (machine.host(), CancellationToken::new());
    stop.cancel();
    let outcome = host.run_turn(&Work::new("a", "Hello"), stop).await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)));
}

#[tokio::test(start_paused = true)]
async fn stop_after_the_result_is_too_late() {
    let machine = Machine::new();
    let (host, work, stop) = (
        machine.host(),
        Work::new("a", "Hello"),
        CancellationToken::new(),
    );
    let mut cli = machine.cli();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror_prompt(&mut cli, &work).await;
        cli.turn("42").await;
        idle().await;
        stop.cancel();
        cli.expect_kill().await;
    })
    .await;
    assert_eq!(done(outcome).text.as_deref(), Some("42"));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_turn_kills_the_cli_and_releases_the_lease_afterwards() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("a", "Hello"));
    for has_prompt in [false, true] {
        let mut cli = machine.cli();
        let dropped = CancellationToken::new();
        let turn = host.run_turn(&work, CancellationToken::new());
        let turn = dropped.run_until_cancelled(turn);
        let (outcome, ()) = join(turn, async {
            if has_prompt {
                cli.accept().await;
                cli.expect_prompt().await;
                cli.state("running").await;
            }
            idle().await;
            dropped.cancel();
            cli.expect_kill().await;
        })
        .await;
        assert!(outcome.is_none());
        idle().await;
        assert_eq!(machine.store.holder(&key(&work)).await.unwrap(), None);
        assert_eq!(host.stats().active, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn lease_is_kept_until_a_cli_that_ignores_kill_is_given_up() {
    let machine = Machine::new();
    let (host, work, stop) = (
        machine.host(),
        Work::new("a", "Hello"),
        CancellationToken::new(),
    );
    let mut cli = machine.cli();
    cli.ignore_kill();
    let start = tokio::time::Instant::now();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        cli.accept().await;
        cli.expect_prompt().await;
        stop.cancel();
        cli.expect_kill().await;
        assert!(machine.store.holder(&key(&work)).await.unwrap().is_some());
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)), "{outcome:?}");
    assert!(start.elapsed() <= seconds(10));
}

#[tokio::test(start_paused = true)]
async fn stopped_work_of_another_session_disturbs_nothing() {
    let machine = Machine::new();
    let host = machine.host();
    let [stopped, other] = ["a", "b"].map(|session| Work::new(session, "Hello"));
    let [mut one, two] = [machine.cli(), machine.cli()];
    let stop = CancellationToken::new();
    let turns = async {
        let stopped = host.run_turn(&stopped, stop.clone());
        tokio::join!(biased; stopped, async {
            idle().await;
            host.run_turn(&other, CancellationToken::new()).await
        })
    };
    let ((first, second), _) = join(turns, async {
        one.accept().await;
        one.expect_prompt().await;
        stop.cancel();
        one.expect_kill().await;
        answer(two, &other, "2").await
    })
    .await;
    assert!(matches!(first, Ok(Outcome::Cancelled)));
    assert_eq!(done(second).text.as_deref(), Some("2"));
}
