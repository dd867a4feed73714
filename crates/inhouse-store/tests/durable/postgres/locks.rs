//! PostgreSQL with locks that are held for long, and with calls that are dropped while the server works on them.

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use futures_util::{StreamExt as _, TryStreamExt as _};
use inhouse_store::postgres::PostgresStore;
use inhouse_store::{
    Append, Bytes, Epoch, Erase, Leases, Position, SessionKey, SessionStore, StoreErrorKind,
    StreamKey,
};
use inhouse_testkit::servers::PostgresServer;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::proxy::Proxy;

const HOUR: Duration = Duration::from_secs(3600);

/// Turns a call that waits for a lock without end into a failure.
const DEADLINE: Duration = Duration::from_secs(120);

/// How often a scenario is attempted that a slow machine can upset.
const ATTEMPTS: usize = 5;

fn session(name: &str) -> SessionKey {
    SessionKey::new("project", name).unwrap()
}

async fn append(
    store: &PostgresStore,
    stream: &StreamKey,
    epoch: Epoch,
    position: u64,
) -> inhouse_store::Result<Position> {
    let append = Append::new(epoch, Position::new(position), ["{}"]);
    store.append(stream, &append).await
}

async fn written(store: &PostgresStore, name: &str) -> (SessionKey, Epoch) {
    let session = session(name);
    let epoch = store.fence(&session, None).await.unwrap();
    append(store, &session.main(), epoch, 0).await.unwrap();
    (session, epoch)
}

/// Begins a transaction that keeps its locks until it is [unlocked](unlock), as a person at a terminal does.
async fn locked(server: &PostgresServer, statement: &'static str) -> PgConnection {
    let mut connection = connection(server).await;
    for statement in ["begin", statement] {
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection
}

/// Ends a transaction. After a mere drop the server would keep its locks until it notices the end of the connection.
async fn unlock(mut connection: PgConnection) {
    sqlx::query("rollback")
        .execute(&mut connection)
        .await
        .unwrap();
}

async fn connection(server: &PostgresServer) -> PgConnection {
    PgConnection::connect(&server.url()).await.unwrap()
}

/// Waits until this many statements of the server wait for a lock; returns false if `call`, which is one of them, ends before.
async fn are_waiting<T>(monitor: &mut PgConnection, statements: i64, call: &JoinHandle<T>) -> bool {
    let count = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
    let waiting = async {
        while !call.is_finished() {
            let waiting = sqlx::query_scalar::<_, i64>(count);
            if waiting.fetch_one(&mut *monitor).await.unwrap() >= statements {
                return true;
            }
            tokio::task::yield_now().await;
        }
        false
    };
    timeout(DEADLINE, waiting).await.unwrap()
}

/// Repeats a scenario until it succeeds. It returns `None` if the server ended a statement that had waited for 5 s: the machine was too slow.
async fn attempted<T>(scenario: impl AsyncFn(usize) -> Option<T>) -> T {
    for attempt in 0..ATTEMPTS {
        if let Some(outcome) = scenario(attempt).await {
            return outcome;
        }
    }
    panic!("each attempt took too long");
}

/// Returns the outcome of a call; `None` if it has waited for a lock for too long.
async fn unless_timed_out<T>(
    call: JoinHandle<inhouse_store::Result<T>>,
) -> Option<inhouse_store::Result<T>> {
    let outcome = timeout(DEADLINE, call).await.unwrap().unwrap();
    let source = outcome.as_ref().err().and_then(|error| error.source());
    let source = source.and_then(|source| source.downcast_ref::<sqlx::Error>());
    let code = source.and_then(|error| error.as_database_error()?.code());
    match code.as_deref() {
        Some("55P03") => None,
        _ => Some(outcome),
    }
}

/// Waits until all connections are back in the pool, so that nothing which was dropped is still under way.
async fn until_idle(store: &PostgresStore) {
    let pool = store.pool();
    let idle = async {
        while pool.num_idle() < pool.size() as usize {
            tokio::task::yield_now().await;
        }
    };
    timeout(DEADLINE, idle).await.unwrap();
}

/// Drops a call when its request number `packets` is on its way, repeats it, and lets the request arrive afterwards.
/// Returns what the repetition returned, and whether the first call ended before.
async fn dropped_and_repeated<T>(
    proxy: &Proxy,
    packets: usize,
    call: impl AsyncFn() -> T,
) -> (T, bool) {
    proxy.hold_after(packets);
    let ended = {
        let (first, held) = (std::pin::pin!(call()), std::pin::pin!(proxy.held()));
        let ended = select(first, held);
        let ended = timeout(DEADLINE, ended).await.unwrap();
        matches!(ended, Either::Left(_))
    };
    if ended {
        proxy.release();
    }
    let repeated = timeout(DEADLINE, call()).await.unwrap();
    proxy.release();
    (repeated, ended)
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_fence_that_arrives_late_does_not_fence_its_repetition() {
    let server = PostgresServer::start().unwrap();
    let proxy = Proxy::start(&server.url()).await;
    let url = proxy.url(&server.url());
    let store = PostgresStore::connect(&url).await.unwrap();
    for packets in 0.. {
        let session = session(&packets.to_string());
        written(&store, session.session()).await;
        let fence = async || store.fence(&session, None).await.unwrap();
        let (epoch, ended) = dropped_and_repeated(&proxy, packets, fence).await;
        until_idle(&store).await;
        let appended = append(&store, &session.main(), epoch, 1).await;
        assert_eq!(appended.unwrap(), Position::new(2), "packet {packets}");
        if ended {
            assert!(packets > 0);
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_acquisition_that_arrives_late_does_not_fence_its_repetition() {
    let server = PostgresServer::start().unwrap();
    let proxy = Proxy::start(&server.url()).await;
    let url = proxy.url(&server.url());
    let store = PostgresStore::connect(&url).await.unwrap();
    for packets in 0.. {
        let session = session(&packets.to_string());
        written(&store, session.session()).await;
        let acquire = async || store.acquire(&session, "one", HOUR).await.unwrap();
        let (lease, ended) = dropped_and_repeated(&proxy, packets, acquire).await;
        until_idle(&store).await;
        let renewed = store.renew(&lease, HOUR).await;
        assert_eq!(renewed.unwrap().epoch, lease.epoch, "packet {packets}");
        if ended {
            assert!(packets > 0);
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_for_a_lock_do_not_delay_renewals_of_other_sessions() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let mut leases = Vec::new();
    for number in 0..20 {
        let session = session(&format!("locked {number}"));
        let lease = store.acquire(&session, "one", HOUR).await.unwrap();
        leases.push(lease);
    }
    let free = store.acquire(&session("free"), "one", HOUR).await.unwrap();
    open_all_connections(&store).await;
    attempted(async |_| {
        let statement = "select 1 from inhouse_session where session like 'locked%' for update";
        let lock = locked(&server, statement).await;
        let ended = AtomicUsize::new(0);
        let appends = join_all(leases.iter().map(async |lease| {
            let appended = append(&store, &lease.session.main(), lease.epoch, 0).await;
            ended.fetch_add(1, Ordering::Relaxed);
            appended.map(drop)
        }));
        // As many as there are connections for renewals.
        let renewals = leases[..4].iter();
        let renewals = join_all(renewals.map(async |lease| store.renew(lease, HOUR).await));
        let free_renewal = async {
            while store.pool().num_idle() > 0 {
                tokio::task::yield_now().await;
            }
            store.renew(&free, HOUR).await.unwrap();
            ended.load(Ordering::Relaxed)
        };
        let all = async { tokio::join!(appends, renewals, free_renewal) };
        let (appends, renewals, ended) = timeout(DEADLINE, all)
            .await
            .expect("a statement waits for a lock without end");
        // The server has ended all that waited for the lock.
        let renewals = renewals.into_iter().map(|renewed| renewed.map(drop));
        for outcome in appends.into_iter().chain(renewals) {
            assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Unavailable);
        }
        unlock(lock).await;
        for lease in &leases {
            store.renew(lease, HOUR).await.unwrap();
        }
        // Appends fail after 5 s, so the renewal did not wait for the connection of one.
        (ended == 0).then_some(())
    })
    .await;
}

/// Opens all connections of the pool, so that the calls of a test need not.
async fn open_all_connections(store: &PostgresStore) {
    let connections = 0..store.pool().options().get_max_connections();
    let opened = join_all(connections.map(|_| store.pool().acquire())).await;
    for connection in opened {
        connection.unwrap();
    }
    until_idle(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn append_that_meets_an_erasure_of_its_stream_leaves_no_hole() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let monitor = &Mutex::new(connection(&server).await);
    open_all_connections(&store).await;
    let (sub, epoch, late) = attempted(async |attempt| {
        let mut monitor = monitor.lock().await;
        let (session, epoch) = written(&store, &attempt.to_string()).await;
        let sub = session.stream("subagents/agent-1").unwrap();
        append(&store, &sub, epoch, 0).await.unwrap();

        // The erasure is first in the queue for the row, the append second.
        let statement = "select 1 from inhouse_stream where subpath <> '' for update";
        let lock = locked(&server, statement).await;
        let erase = erasure(&store, sub.clone());
        let is_first = are_waiting(&mut monitor, 1, &erase).await;
        let late = tokio::spawn({
            let (store, sub) = (store.clone(), sub.clone());
            async move { append(&store, &sub, epoch, 1).await }
        });
        let is_second = is_first && are_waiting(&mut monitor, 2, &late).await;
        unlock(lock).await;
        let (erased, late) = (unless_timed_out(erase).await, unless_timed_out(late).await);
        erased?.unwrap();
        is_second.then_some((sub, epoch, late?))
    })
    .await;
    assert_eq!(late.unwrap_err().kind(), StoreErrorKind::Gap);
    assert_eq!(store.end(&sub).await.unwrap(), Position::START);
    append(&store, &sub, epoch, 0).await.unwrap();
    assert_eq!(store.read(&sub).await.unwrap(), ["{}"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn erasures_of_a_session_and_its_stream_do_not_deadlock() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let monitor = &Mutex::new(connection(&server).await);
    open_all_connections(&store).await;
    attempted(async |attempt| {
        let mut monitor = monitor.lock().await;
        let (session, epoch) = written(&store, &attempt.to_string()).await;
        let sub = session.stream("subagents/agent-1").unwrap();
        let long = Append::new(epoch, Position::START, ["{}"; 10]);
        store.append(&sub, &long).await.unwrap();

        // The erasure of the session has some of the entries when that of the stream begins.
        let lock = locked(
            &server,
            "select 1 from inhouse_entry where position = 5 for update",
        )
        .await;
        let whole = erasure(&store, session.clone());
        let is_first = are_waiting(&mut monitor, 1, &whole).await;
        let part = erasure(&store, sub.clone());
        let is_second = is_first && are_waiting(&mut monitor, 2, &part).await;
        unlock(lock).await;
        let (whole, part) = (unless_timed_out(whole).await, unless_timed_out(part).await);
        whole?.unwrap();
        part?.unwrap();
        assert_eq!(store.end(&sub).await.unwrap(), Position::START);
        is_second.then_some(())
    })
    .await;
}

/// Starts an erasure.
fn erasure(store: &PostgresStore, what: impl Into<Erase>) -> JoinHandle<inhouse_store::Result<()>> {
    let (store, what) = (store.clone(), what.into());
    tokio::spawn(async move { store.erase(&what).await })
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_load_does_not_transfer_the_rest_of_the_stream() {
    let server = PostgresServer::start().unwrap();
    let proxy = Proxy::start(&server.url()).await;
    let url = proxy.url(&server.url());
    let store = PostgresStore::connect(&url).await.unwrap();
    let (session, epoch) = written(&store, "session").await;
    let main = session.main();
    let entry = Bytes::from(vec![b'x'; 1 << 20]);
    let entries = std::iter::repeat_n(entry.clone(), 40);
    let long = Append::new(epoch, Position::new(1), entries);
    store.append(&main, &long).await.unwrap();

    let before = proxy.received();
    let mut stream = store.load(&main, Position::new(1));
    assert_eq!(stream.next().await.unwrap().unwrap(), entry);
    drop(stream);
    until_idle(&store).await;
    let transferred = proxy.received() - before;
    assert!(transferred < 10 << 20, "{transferred} bytes");
    let all: Vec<Bytes> = store
        .load(&main, Position::START)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(all.len(), 41);
    assert!(all[1..].iter().all(|loaded| *loaded == entry));
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_that_is_erased_while_it_is_loaded_ends_with_an_error() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let (session, epoch) = written(&store, "session").await;
    let main = session.main();
    let entries = (0..3000).map(|number| number.to_string());
    let long = Append::new(epoch, Position::new(1), entries);
    store.append(&main, &long).await.unwrap();
    let mut stream = store.load(&main, Position::START);
    stream.next().await.unwrap().unwrap();
    store.erase(&session.clone().into()).await.unwrap();
    // A new session of the same name must not be taken for the rest of the old one.
    let epoch = store.fence(&session, None).await.unwrap();
    let other = Append::new(epoch, Position::START, (0..4000).map(|_| "other"));
    store.append(&main, &other).await.unwrap();
    let rest: Result<Vec<Bytes>, _> = stream.try_collect().await;
    let rest = rest.map(|entries| entries.len());
    assert_eq!(rest.unwrap_err().kind(), StoreErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_use_are_not_locked_by_an_erasure_of_idle_ones() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    for name in ["a used", "b idle", "c used", "d idle"] {
        written(&store, name).await;
    }
    sqlx::query("update inhouse_stream set modified = 0 where session like '%idle'")
        .execute(store.pool())
        .await
        .unwrap();
    let statement = "select 1 from inhouse_session where session like '%used' for update";
    let lock = locked(&server, statement).await;
    let mut monitor = connection(&server).await;
    let erased = tokio::spawn({
        let store = store.clone();
        async move { erased_keys(&store, HOUR).await }
    });
    let waits = are_waiting(&mut monitor, 1, &erased).await;
    assert!(!waits, "the erasure waits for a session in use");
    assert_eq!(
        erased.await.unwrap(),
        [session("b idle"), session("d idle")]
    );
    unlock(lock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn locked_session_does_not_keep_other_idle_ones_from_being_erased() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    for name in ["a", "b", "c"] {
        written(&store, name).await;
    }
    let statement = "select 1 from inhouse_session where session = 'b' for update";
    let lock = locked(&server, statement).await;
    let erased = timeout(DEADLINE, erased_keys(&store, Duration::ZERO)).await;
    assert_eq!(erased.unwrap(), [session("a"), session("c")]);
    unlock(lock).await;
    let erased = erased_keys(&store, Duration::ZERO).await;
    assert_eq!(erased, [session("b")]);
}

async fn erased_keys(store: &PostgresStore, idle: Duration) -> Vec<SessionKey> {
    let erased = store.erase_idle(idle, None);
    erased.try_collect().await.unwrap()
}
