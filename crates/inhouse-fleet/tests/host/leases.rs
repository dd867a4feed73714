//! A host runs a session only while it owns it.

use inhouse::Options;
use inhouse_fleet::{Host, HostErrorKind, Outcome, Work};
use inhouse_store::{Leases as _, SessionStore as _};
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, answer, done, idle, key, mirror_prompt, pass, play, seconds};

#[tokio::test(start_paused = true)]
async fn session_of_another_host_is_waited_for() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("a", "Hello"));
    let session = key(&work);
    let lease = machine.store.acquire(&session, "other", seconds(600));
    let lease = lease.await.unwrap();
    let start = Instant::now();
    let cli = machine.cli();
    let (outcome, _) = play(&host, &work, async {
        pass(seconds(40)).await;
        assert!(!machine.has_started_all());
        machine.store.release(&lease).await.unwrap();
        answer(cli, &work, "42").await
    })
    .await;
    let reply = done(outcome);
    assert!(reply.fence.epoch() > lease.epoch);
    let waited = start.elapsed();
    assert!((seconds(40)..seconds(50)).contains(&waited), "{waited:?}");
    // The lease may have been that of the prompt before.
    assert_eq!(host.stats().takeovers, 0);
}

#[tokio::test(start_paused = true)]
async fn prompt_that_began_on_another_host_is_taken_over() {
    let machine = Machine::new();
    let host = machine.host();
    for (session, attempt, taken_over, takeovers) in [("a", 2, false, 0), ("b", 1, true, 1)] {
        let mut work = Work::new(session, "Hello");
        (work.attempt, work.taken_over) = (attempt, taken_over);
        let cli = machine.cli();
        let (outcome, _) = play(&host, &work, answer(cli, &work, "42")).await;
        done(outcome);
        assert_eq!(host.stats().takeovers, takeovers);
    }
}

#[tokio::test(start_paused = true)]
async fn wait_for_another_host_can_be_stopped_and_has_an_end() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("a", "Hello"));
    let day = seconds(24 * 60 * 60);
    machine
        .store
        .acquire(&key(&work), "other", day)
        .await
        .unwrap();
    let stop = CancellationToken::new();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        idle().await;
        stop.cancel();
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)));

    let error = host
        .run_turn(&work, CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Held);
    assert!(!error.counts());
}

#[tokio::test(start_paused = true)]
async fn lost_lease_kills_the_cli_and_no_answer_counts() {
    for is_unavailable in [false, true] {
        let machine = Machine::new();
        let (host, work) = (machine.host(), Work::new("a", "Hello"));
        let mut cli = machine.cli();
        let (outcome, ()) = play(&host, &work, async {
            cli.accept().await;
            cli.expect_prompt().await;
            mirror_prompt(&mut cli, &work).await;
            cli.state("running").await;
            idle().await;
            match is_unavailable {
                true => drop(machine.store.faults().always(StoreCall::Renew, Fault::Hang)),
                false => drop(machine.store.fence(&key(&work), None).await.unwrap()),
            }
            cli.expect_kill().await;
        })
        .await;
        assert!(matches!(outcome, Ok(Outcome::Fenced)), "{outcome:?}");
        assert_eq!(host.stats().fenced, 1);
        assert!(machine.results(&work).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn lease_that_is_lost_before_the_start_starts_nothing() {
    let machine = Machine::new();
    let work = Work::new("a", "Hello");
    let (store, session) = (machine.store.clone(), key(&work));
    let host = Host::new(machine.store.clone(), async move |_: &Work| {
        store.fence(&session, None).await?;
        pass(seconds(60)).await;
        Ok(Options::new())
    });
    let outcome = host.run_turn(&work, CancellationToken::new()).await;
    assert!(matches!(outcome, Ok(Outcome::Fenced)), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn store_without_an_answer_is_no_attempt() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("a", "Hello"));
    machine
        .store
        .faults()
        .always(StoreCall::Acquire, Fault::Fail);
    let error = host
        .run_turn(&work, CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Store);
    assert!(!error.counts());
}

/// The store is away for longer than the lease, while a turn ends on the first machine.
async fn outage(machine: &Machine, work: &Work) {
    let host = machine.host();
    let mut cli = machine.cli();
    let (outcome, ()) = play(&host, work, async {
        cli.accept().await;
        cli.expect_prompt().await;
        for call in [StoreCall::Append, StoreCall::Renew, StoreCall::Release] {
            machine.store.faults().always(call, Fault::Hang);
        }
        mirror_prompt(&mut cli, work).await;
        cli.state("running").await;
        cli.result("42").await;
        cli.expect_kill().await;
    })
    .await;
    // The lease ends before the store is given up.
    assert!(matches!(outcome, Ok(Outcome::Fenced)), "{outcome:?}");
    machine.store.faults().clear();
    // The time of a lease in memory is that of the real clock.
    let lease = machine.store.holder(&key(work)).await.unwrap().unwrap();
    machine.store.release(&lease).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn answer_that_could_not_be_stored_is_stored_by_the_next_attempt() {
    let machine = Machine::new();
    let work = Work::new("a", "Hello");
    outage(&machine, &work).await;
    // No CLI is started.
    let outcome = machine
        .host()
        .run_turn(&work, CancellationToken::new())
        .await;
    assert_eq!(done(outcome).text.as_deref(), Some("42"));
    assert_eq!(machine.results(&work).await, ["42"]);
}

#[tokio::test(start_paused = true)]
async fn answer_that_could_not_be_stored_does_not_count_after_a_takeover() {
    let first = Machine::new();
    let second = Machine::beside(&first);
    let work = Work::new("a", "Hello");
    outage(&first, &work).await;
    let cli = second.cli();
    let (outcome, _) = play(&second.host(), &work, answer(cli, &work, "43")).await;
    assert_eq!(done(outcome).text.as_deref(), Some("43"));

    let next = Work::new("a", "And now?");
    let cli = first.cli();
    let (outcome, _) = play(&first.host(), &next, answer(cli, &next, "44")).await;
    assert_eq!(done(outcome).text.as_deref(), Some("44"));
    assert_eq!(first.results(&work).await, ["43", "44"]);
}

/// The store answers after the attempt was stopped: the lease is taken, and must not stay.
#[tokio::test(start_paused = true)]
async fn lease_that_is_acquired_after_the_stop_is_released() {
    let machine = Machine::new();
    let (host, work) = (machine.host(), Work::new("a", "Hello"));
    let slow = Fault::Delay(seconds(3));
    machine.store.faults().next(StoreCall::Acquire, slow);
    let stop = CancellationToken::new();
    let (outcome, ()) = join(host.run_turn(&work, stop.clone()), async {
        idle().await;
        stop.cancel();
    })
    .await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled)));
    pass(seconds(4)).await;
    let session = key(&work);
    let taken = machine.store.acquire(&session, "other", seconds(600));
    taken.await.expect("nobody has the session");
}
