//! Many sessions with many queued prompts, on hosts with separate connections of which one is killed. `cargo xtask bench --only fleet-simulation`
//! does the same with processes, and a hundred times as many prompts.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use inhouse::Options;
use inhouse_fleet::Work;
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::json;
use sqlx::postgres::PgPoolOptions;
use tempfile::TempDir;

use super::support::{Database, Host, quick, within};

const SESSIONS: usize = 20;
const PROMPTS: usize = 10;

/// How long all prompts may take, which is longer than other tests do.
const DEADLINE: Duration = Duration::from_secs(180);

/// Opens a CLI that mirrors the prompt, and answers with the text of the work.
fn open(work: &Work) -> FakeTransport {
    let (transport, mut cli) = FakeCli::new();
    let work = work.clone();
    tokio::spawn(async move {
        cli.accept().await;
        // The prompt of the work, or one that continues its turn.
        let prompt = cli.expect_prompt().await;
        let session = work.session_id();
        cli.send(json!({
            "type": "transcript_mirror",
            "filePath": format!("/c/projects/inhouse-fleet/{session}.jsonl"),
            "entries": [{"type": "user", "uuid": prompt.uuid(), "message": {"role": "user", "content": prompt.text()}}],
        }))
        .await;
        cli.turn(&work.prompt).await;
        cli.expect_end_of_input().await;
    });
    transport
}

/// Starts a host with its own directory, and its own connections: fewer than slots, so a turn must not need two at the same time.
async fn start(database: &Database, directory: &Arc<TempDir>) -> Host {
    let pool = PgPoolOptions::new().max_connections(3);
    let pool = pool.connect(&database.url).await.unwrap();
    let store = PostgresStore::from_pool(pool).await.unwrap();
    let directory = Arc::clone(directory);
    let fleet = quick(&store);
    let host = inhouse_fleet::Host::new(store, async move |_: &Work| {
        Ok(Options::new().session_root(directory.path()))
    });
    let host = host.lease_ttl(Duration::from_secs(5)).slots(8);
    Host::start(&fleet, Arc::new(host.transport(open)))
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_prompts_are_answered_once_and_in_order_although_a_host_dies() {
    let database = Database::create().await;
    let enqueue = |session: usize| {
        let fleet = &database.fleet;
        async move {
            for number in 0..PROMPTS {
                let work = Work::new(
                    format!("session-{session}"),
                    format!("{number} of {session}"),
                );
                fleet.enqueue(work).await?;
            }
            Ok::<_, inhouse_fleet::FleetError>(())
        }
    };
    within(try_join_all((0..SESSIONS).map(enqueue)))
        .await
        .unwrap();

    let directories = [(); 3].map(|()| Arc::new(tempfile::tempdir().unwrap()));
    let killed = start(&database, &directories[0]).await;
    let _second = start(&database, &directories[1]).await;
    let begun = "select count(*) > 40 from inhouse.work where state = 'done'";
    database.until_within(DEADLINE, begun).await;
    killed.kill().await;
    let _third = start(&database, &directories[2]).await;
    let answered = "select count(*) = 0 from inhouse.work where state <> 'done'";
    database.until_within(DEADLINE, answered).await;

    for (what, query) in [
        (
            "prompts that do not have their answer",
            "select count(*) from inhouse.work where reply::json->>'text' is distinct from prompt",
        ),
        (
            "prompts that began before the one before them had ended",
            "select count(*) from (
                 select started, lag(finished) over (partition by session order by number) as before from inhouse.work
             ) w where before > started",
        ),
        (
            "stored results that are not the next one of their session",
            "select count(*) from inhouse_stream s join inhouse_entry e on e.stream = s.id
             where s.subpath = 'results'
             and split_part(convert_from(e.body, 'UTF8')::json->'result'->>'result', ' ', 1)::bigint <> e.position",
        ),
        (
            "prompts that are not once in a transcript",
            "select count(*) from inhouse.work w left join (
                 select convert_from(e.body, 'UTF8')::json->>'uuid' as id, count(*) as entries
                 from inhouse_stream s join inhouse_entry e on e.stream = s.id
                 where s.subpath = '' and convert_from(e.body, 'UTF8')::json->>'type' = 'user' group by 1
             ) t on t.id = w.id::text where t.entries is distinct from 1",
        ),
    ] {
        let wrong: i64 = sqlx::query_scalar(query)
            .fetch_one(database.store.pool())
            .await
            .unwrap();
        assert_eq!(wrong, 0, "{what}");
    }
    let results = "select sum(next)::bigint from inhouse_stream where subpath = 'results'";
    let results: i64 = sqlx::query_scalar(results)
        .fetch_one(database.store.pool())
        .await
        .unwrap();
    assert_eq!(results, (SESSIONS * PROMPTS) as i64);
}
