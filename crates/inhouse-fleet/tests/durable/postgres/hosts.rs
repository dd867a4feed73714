//! Hosts that die, are taken for dead, drain, or make others die.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use inhouse_fleet::postgres::{Event, WorkState};
use inhouse_fleet::{FleetErrorKind, Outcome, Work};
use inhouse_testkit::engine_battery::ScriptedTurn;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use super::support::{Database, Log, answer, quick, within};

/// Takes all hosts for dead, as another host does. In one transaction, so that no heartbeat comes in between.
async fn take_for_dead(database: &Database) {
    let statements = "update inhouse.host set alive_until = '-infinity';
         select inhouse.sweep(gen_random_uuid(), 3, '0', '0')";
    let statements = sqlx::raw_sql(statements);
    statements.execute(database.store.pool()).await.unwrap();
}

/// The whole process was stopped for a while, and its sweep comes before its heartbeat.
#[tokio::test]
async fn host_whose_heartbeat_is_late_does_not_sweep_itself() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let (go, gate) = tokio::sync::watch::channel(false);
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.clone());
        async move {
            begun.send(()).unwrap();
            let _ = gate.wait_for(|open| *open).await;
            answer(turn).await
        }
    });
    let work = Work::new("a", "prompt");
    let work = database.fleet.enqueue(work).await.unwrap();
    within(has_begun.recv()).await;
    let statements = "update inhouse.host set alive_until = '-infinity';
         select inhouse.sweep(incarnation, 3, '0', '0') from inhouse.host";
    let statements = sqlx::raw_sql(statements);
    statements.execute(database.store.pool()).await.unwrap();
    go.send_replace(true);
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(database.fleet.work(&work).await.unwrap().attempts, 0);
}

/// The second host sweeps the first while that one still runs a turn, as it happens to a host that was stopped for a while.
#[tokio::test]
async fn host_that_was_taken_for_dead_stops_its_turns_and_continues() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let first_run = Arc::new(AtomicBool::new(true));
    let log = Log::default();
    let script = {
        let log = log.clone();
        move |turn: Arc<ScriptedTurn>| {
            let (begun, is_first) = (begun.clone(), first_run.swap(false, Ordering::SeqCst));
            log.push(turn.work.prompt.clone());
            async move {
                if is_first {
                    begun.send(()).unwrap();
                    turn.stop.cancelled().await;
                    return Ok(Outcome::Cancelled);
                }
                answer(turn).await
            }
        }
    };
    let _host = database.host(1, script);
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    take_for_dead(&database).await;
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(log.entries(), ["prompt", "prompt"]);
    // The host is another incarnation, and alive.
    let hosts = database.fleet.status().await.unwrap().hosts;
    assert_eq!(hosts.len(), 1);
    assert!(hosts[0].alive_until > hosts[0].since);
}

#[tokio::test]
async fn late_answer_of_a_swept_host_does_not_count() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let (go, gate) = tokio::sync::watch::channel(false);
    let zombie = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.clone());
        async move {
            turn.lose_session().await?;
            begun.send(()).unwrap();
            // Ignores that it is stopped.
            let _ = gate.wait_for(|open| *open).await;
            Ok(Outcome::Done(turn.reply("the answer of a zombie")))
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    take_for_dead(&database).await;
    let _second = database.host(1, answer);
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    go.send_replace(true);
    zombie.shut_down().await;
    assert_eq!(database.answer_to(work).await, "answer to prompt");
}

/// The claim is still this host's, so only the epoch of the store decides.
#[tokio::test]
async fn answer_under_a_former_epoch_does_not_count() {
    let database = Database::create().await;
    let is_zombie = Arc::new(AtomicBool::new(true));
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let is_zombie = is_zombie.swap(false, Ordering::SeqCst);
        async move {
            if is_zombie {
                turn.lose_session().await?;
                return Ok(Outcome::Done(turn.reply("the answer of a zombie")));
            }
            answer(turn).await
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(database.fleet.work(&work).await.unwrap().attempts, 0);
}

#[tokio::test]
async fn outcome_that_cannot_be_stored_is_a_failed_attempt() {
    let database = Database::create().await;
    let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
        let mut reply = turn.reply("an answer");
        // Larger than a bigint.
        reply.fence.epoch = u64::MAX;
        Ok(Outcome::Done(reply))
    });
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    let error = within(database.fleet.result(&work)).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked);
    assert!(error.to_string().contains("cannot be stored"), "{error}");
}

#[tokio::test]
async fn prompt_that_kills_hosts_is_parked_and_neighbours_are_not_charged() {
    let database = Database::create().await;
    let poison = database
        .fleet
        .enqueue(Work::new("poison", "poison"))
        .await
        .unwrap();
    let mut neighbours = Vec::new();
    for number in 0..3 {
        let work = Work::new(format!("neighbour-{number}"), "neighbour");
        neighbours.push(database.fleet.enqueue(work).await.unwrap());
    }
    // Each host dies as soon as it runs the poison and everything else that it can get.
    let deaths = Arc::new(AtomicU32::new(0));
    loop {
        let (begun, mut has_begun) = unbounded_channel();
        let host = database.host(8, move |turn: Arc<ScriptedTurn>| {
            let begun = begun.clone();
            async move {
                let _ = begun.send(turn.work.prompt.clone());
                if turn.work.prompt == "poison" {
                    std::future::pending::<()>().await;
                }
                // Long enough for the poison to begin as well, if it can.
                let limit = Duration::from_millis(500);
                let _ = timeout(limit, std::future::pending::<()>()).await;
                answer(turn).await
            }
        });
        let seen = async {
            loop {
                tokio::select! {
                    prompt = has_begun.recv() => if prompt.as_deref() == Some("poison") { break true },
                    error = database.fleet.result(&poison) => {
                        assert_eq!(error.unwrap_err().kind(), FleetErrorKind::Parked);
                        break false;
                    }
                }
            }
        };
        let has_poison = within(seen).await;
        host.kill().await;
        if !has_poison {
            break;
        }
        assert!(
            deaths.fetch_add(1, Ordering::SeqCst) < 8,
            "not parked after 8 deaths"
        );
    }
    let parked = database.fleet.work(&poison).await.unwrap();
    assert_eq!((parked.state, parked.attempts), (WorkState::Parked, 3));
    assert!(parked.reason.unwrap().contains("died"));
    let _host = database.host(8, answer);
    join_all(neighbours.iter().map(|id| database.answer_to(*id))).await;
    for id in neighbours {
        let neighbour = database.fleet.work(&id).await.unwrap();
        assert_eq!(neighbour.attempts, 0, "{neighbour:?}");
    }
}

#[tokio::test]
async fn restarted_host_of_the_same_name_has_no_claims() {
    let database = Database::create().await;
    let fleet = quick(&database.store).host_name("one");
    let (begun, mut has_begun) = unbounded_channel();
    let first = database.host_of(&fleet, 1, move |_| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            std::future::pending().await
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    first.kill().await;
    let _second = database.host_of(&fleet, 1, answer);
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    let mut events = database.fleet.watch(&work).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = within(events.next()).await {
        seen.push(match event.unwrap() {
            Event::Started { host } => format!("started by {host}"),
            Event::Resumed { host } => format!("resumed by {host}"),
            Event::Failed { reason } => reason,
            _ => continue,
        });
    }
    assert_eq!(seen, ["started by one", "host one died", "resumed by one"]);
}

#[tokio::test]
async fn drained_host_hands_over_and_ends() {
    let database = Database::create().await;
    let fleet = quick(&database.store).host_name("drained");
    let (begun, mut has_begun) = unbounded_channel();
    let host = database.host_of(&fleet, 1, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    let error = database.fleet.drain("another").await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::NotFound);
    database.fleet.drain("drained").await.unwrap();
    host.ended().await;
    let handed_over = database.fleet.work(&work).await.unwrap();
    assert_eq!(
        (handed_over.state, handed_over.attempts),
        (WorkState::Queued, 0)
    );
    assert!(database.fleet.status().await.unwrap().hosts.is_empty());
    let _second = database.host(1, answer);
    assert_eq!(database.answer_to(work).await, "answer to prompt");
}

#[tokio::test]
async fn turn_that_finishes_within_the_grace_is_not_stopped() {
    let database = Database::create().await;
    let fleet = quick(&database.store).grace(Duration::from_secs(60));
    let (begun, mut has_begun) = unbounded_channel();
    let (go, gate) = tokio::sync::watch::channel(false);
    let host = database.host_of(&fleet, 1, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.clone());
        async move {
            let _ = begun.send(());
            let _ = gate.wait_for(|open| *open).await;
            assert!(!turn.stop.is_cancelled());
            answer(turn).await
        }
    });
    let running = database
        .fleet
        .enqueue(Work::new("a", "running"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    let queued = database
        .fleet
        .enqueue(Work::new("b", "queued"))
        .await
        .unwrap();
    let shut_down = host.shut_down();
    tokio::pin!(shut_down);
    tokio::select! {
        () = &mut shut_down => panic!("the host ended before its turn"),
        () = database.until("select draining from inhouse.host") => {}
    }
    go.send_replace(true);
    shut_down.await;
    assert_eq!(database.answer_to(running).await, "answer to running");
    assert_eq!(
        database.fleet.work(&queued).await.unwrap().state,
        WorkState::Queued
    );
}

/// The test claims in the name of the host, as a claim whose answer got lost with its connection.
#[tokio::test]
async fn claim_whose_answer_was_lost_is_delivered_again() {
    let database = Database::create().await;
    database.fleet.set_tenant_limit("a", Some(0)).await.unwrap();
    let work = Work::new("a", "prompt");
    let work = database.fleet.enqueue(work).await.unwrap();
    let log = Log::default();
    let _host = database.host(1, log.answering());
    database
        .until("select exists (select from inhouse.host)")
        .await;
    let mut transaction = database.store.pool().begin().await.unwrap();
    let claimed: i64 = {
        let remove = sqlx::query("delete from inhouse.tenant");
        remove.execute(&mut *transaction).await.unwrap();
        sqlx::query_scalar(
            "select count(*) from inhouse.host, inhouse.claim(incarnation, 1, '', null)",
        )
        .fetch_one(&mut *transaction)
        .await
        .unwrap()
    };
    transaction.commit().await.unwrap();
    assert_eq!(claimed, 1);
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(log.entries(), ["prompt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_answered_once_and_in_order_while_hosts_die() {
    const SESSIONS: usize = 6;
    const PROMPTS: usize = 5;
    let database = Database::create().await;
    let mut works = Vec::new();
    for number in 0..PROMPTS {
        for session in 0..SESSIONS {
            let work = Work::new(format!("s{session}"), format!("s{session} {number}"));
            works.push(database.fleet.enqueue(work).await.unwrap());
        }
    }
    let log = Log::default();
    let (begun, mut has_begun) = unbounded_channel();
    let script = {
        let log = log.clone();
        move |turn: Arc<ScriptedTurn>| {
            log.push(turn.work.prompt.clone());
            let _ = begun.send(());
            answer(turn)
        }
    };
    // Each of the first hosts is killed in the middle of some turns.
    for _ in 0..3 {
        let host = database.host(3, script.clone());
        for _ in 0..7 {
            within(has_begun.recv()).await;
        }
        host.kill().await;
    }
    let _hosts = [database.host(3, script.clone()), database.host(3, script)];
    join_all(works.iter().map(|id| database.answer_to(*id))).await;
    let log = log.entries();
    for session in 0..SESSIONS {
        let prefix = format!("s{session} ");
        let mut numbers: Vec<usize> = log
            .iter()
            .filter_map(|prompt| prompt.strip_prefix(&prefix)?.parse().ok())
            .collect();
        assert!(numbers.is_sorted(), "order of session {session}: {log:?}");
        numbers.dedup();
        assert_eq!(numbers.len(), PROMPTS, "session {session}: {log:?}");
    }
    // Each answer is stored once: the transcript has one entry for each.
    let entries: i64 = sqlx::query_scalar("select count(*) from inhouse_entry")
        .fetch_one(database.store.pool())
        .await
        .unwrap();
    assert_eq!(entries, (SESSIONS * PROMPTS) as i64);
}
