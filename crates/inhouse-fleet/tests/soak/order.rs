//! Transactions that enqueue for one session, and commit in another order than they began.

use inhouse_testkit::RealCli;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{CHECK_INTERVAL, DEADLINE, Failures, report, runs};
use sqlx::{Postgres, Transaction};
use tokio::time::{interval, timeout};
use uuid::Uuid;

use crate::notes::{self, answered};
use crate::scene::{Scene, Start, hand_over, text};

const SESSION: &str = "customer-42";

/// Repeats the scenario, while a worker is serving, and before.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    for run in 0..runs() {
        for is_serving in [true, false] {
            let outcome = commit_in_another_order(&cli, server, is_serving).await;
            let outcome = outcome.map_err(|why| format!("serving {is_serving}: {why}"));
            failures.check(run, outcome);
        }
    }
    report(name, runs(), failures.0.min(runs()), "");
}

/// Enqueues notes in transactions whose commits have the order of the notes.
async fn commit_in_another_order(
    cli: &RealCli,
    server: &PostgresServer,
    is_serving: bool,
) -> Result<(), String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let worker = is_serving.then(|| scene.start(&scene.plan("a")));
    // The first transaction begins first, and has its number in the database, but enqueues and commits last.
    let mut first = begin(&scene).await?;
    let mut second = begin(&scene).await?;
    let mut third = begin(&scene).await?;
    let mut ids = vec![enqueue(&mut second, "Note 0.").await?];
    // The third waits for the second, which has the session.
    let waiting = async {
        let id = enqueue(&mut third, "Note 1.").await?;
        third.commit().await.map_err(text)?;
        Ok::<_, String>(id)
    };
    let committing = async {
        wait_for_lock(&scene).await?;
        second.commit().await.map_err(text)
    };
    let (waited, committed) = tokio::join!(waiting, committing);
    committed?;
    ids.push(waited?);
    ids.push(enqueue(&mut first, "Note 2.").await?);
    first.commit().await.map_err(text)?;

    let worker = worker.unwrap_or_else(|| scene.start(&scene.plan("a")));
    let notes: Vec<_> = (0..).zip(ids.into_iter().map(Into::into)).collect();
    answered(&scene, &notes).await?;
    hand_over(worker).await?;
    notes::check(&scene, SESSION, &notes).await?;
    let starts = scene.starts().await?;
    let expected = [0, 1, 2].map(|number| Start::new(&notes::note(number), "started", "a"));
    match starts == expected {
        true => Ok(()),
        false => Err(format!("the attempts are {starts:?}")),
    }
}

async fn begin(scene: &Scene) -> Result<Transaction<'static, Postgres>, String> {
    let mut transaction = scene.store.pool().begin().await.map_err(text)?;
    // Gives the transaction its number.
    sqlx::query("select pg_current_xact_id()")
        .execute(&mut *transaction)
        .await
        .map_err(text)?;
    Ok(transaction)
}

async fn enqueue(
    transaction: &mut Transaction<'static, Postgres>,
    prompt: &str,
) -> Result<Uuid, String> {
    let id = sqlx::query_scalar("select inhouse.enqueue($1, $2)")
        .bind(SESSION)
        .bind(prompt)
        .fetch_one(&mut **transaction);
    let id = timeout(DEADLINE, id).await.map_err(text)?;
    id.map_err(text)
}

/// Waits until a transaction waits for the lock of another one.
async fn wait_for_lock(scene: &Scene) -> Result<(), String> {
    let waits = async {
        let mut checks = interval(CHECK_INTERVAL);
        loop {
            checks.tick().await;
            let waiting: bool =
                sqlx::query_scalar("select exists (select from pg_locks where not granted)")
                    .fetch_one(scene.store.pool())
                    .await
                    .map_err(text)?;
            if waiting {
                return Ok(());
            }
        }
    };
    let waits = timeout(DEADLINE, waits).await;
    waits.unwrap_or_else(|_| Err("no transaction waits".to_owned()))
}
