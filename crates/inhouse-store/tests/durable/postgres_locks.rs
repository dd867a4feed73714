//! PostgreSQL with locks that are held for long, and with calls that are dropped while the server works on them.

use std::future::Future;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use futures_util::{StreamExt as _, TryStreamExt as _};
use inhouse_store::postgres::PostgresStore;
use inhouse_store::{Append, Bytes, Epoch, Leases, Position, SessionKey, SessionStore};
use inhouse_store::{StoreErrorKind, StreamKey};
use inhouse_testkit::servers::PostgresServer;
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use crate::proxy::Proxy;

const HOUR: Duration = Duration::from_secs(3600);

/// Turns a call that waits for a lock without end into a failure.
const DEADLINE: Duration = Duration::from_secs(20);

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

/// Begins a transaction that keeps its locks until it is dropped, as a person at a terminal does.
async fn locked(server: &PostgresServer, statement: &'static str) -> PgConnection {
    let mut connection = PgConnection::connect(&server.url()).await.unwrap();
    for statement in ["begin", statement] {
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection
}

/// Waits until this many statements of the server wait for a lock.
async fn until_waiting(server: &PostgresServer, statements: i64) {
    let mut connection = PgConnection::connect(&server.url()).await.unwrap();
    let count = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
    let waiting = async {
        while sqlx::query_scalar::<_, i64>(count)
            .fetch_one(&mut connection)
            .await
            .unwrap()
            < statements
        {}
    };
    timeout(DEADLINE, waiting).await.unwrap();
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
    let mut sessions = Vec::new();
    for number in 0..20 {
        let session = session(&format!("locked {number}"));
        let lease = store.acquire(&session, "one", HOUR).await.unwrap();
        sessions.push(lease);
    }
    let free = store.acquire(&session("free"), "one", HOUR).await.unwrap();
    let statement = "select 1 from inhouse_session where session like 'locked%' for update";
    let lock = locked(&server, statement).await;

    let writes = join_all(sessions.iter().map(async |lease| {
        let main = lease.session.main();
        let (appended, renewed) = tokio::join!(
            append(&store, &main, lease.epoch, 0),
            store.renew(lease, HOUR),
        );
        (appended.map(drop), renewed.map(drop))
    }));
    let renewals = async {
        until_waiting(&server, 12).await;
        let renewed = timeout(Duration::from_secs(10), store.renew(&free, HOUR)).await;
        renewed
            .expect("the renewal waits for other sessions")
            .unwrap();
    };
    let (writes, ()) = timeout(4 * DEADLINE, async { tokio::join!(writes, renewals) })
        .await
        .expect("a statement waits for a lock without end");
    // The server has ended all that waited for the lock.
    for outcome in writes.into_iter().flat_map(|(one, two)| [one, two]) {
        assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Unavailable);
    }
    drop(lock);
    for lease in &sessions {
        store.renew(lease, HOUR).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn append_that_meets_an_erasure_of_its_stream_leaves_no_hole() {
    let server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let (session, epoch) = written(&store, "session").await;
    let sub = session.stream("subagents/agent-1").unwrap();
    append(&store, &sub, epoch, 0).await.unwrap();

    // The erasure is first in the queue for the row, the append second.
    let statement = "select 1 from inhouse_stream where subpath <> '' for update";
    let lock = locked(&server, statement).await;
    let erase = sub.clone().into();
    let erase = store.erase(&erase);
    let late = async {
        until_waiting(&server, 1).await;
        let append = append(&store, &sub, epoch, 1);
        let unlock = async {
            until_waiting(&server, 2).await;
            drop(lock);
        };
        tokio::join!(append, unlock).0
    };
    let (erased, late) = both(erase, late).await;
    erased.unwrap();
    assert_eq!(late.unwrap_err().kind(), StoreErrorKind::Gap);
    assert_eq!(store.end(&sub).await.unwrap(), Position::START);
    append(&store, &sub, epoch, 0).await.unwrap();
    assert_eq!(store.read(&sub).await.unwrap(), ["{}"]);
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
    let erased = timeout(Duration::from_secs(5), erased_keys(&store, HOUR)).await;
    let erased = erased.expect("the erasure waits for a session in use");
    assert_eq!(erased, [session("b idle"), session("d idle")]);
    drop(lock);
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
    drop(lock);
    let erased = erased_keys(&store, Duration::ZERO).await;
    assert_eq!(erased, [session("b")]);
}

async fn erased_keys(store: &PostgresStore, idle: Duration) -> Vec<SessionKey> {
    let erased = store.erase_idle(idle, None);
    erased.try_collect().await.unwrap()
}

async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
    let both = async { tokio::join!(one, other) };
    timeout(DEADLINE, both).await.unwrap()
}
