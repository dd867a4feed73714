//! A database that is away for a while, and answers that are lost with it.

use std::time::Duration;

use inhouse_fleet::Work;
use inhouse_fleet::postgres::WorkState;
use tokio::time::sleep;

use super::support::{Database, answer};

/// The table of the hosts is away for longer than `host_ttl`, so heartbeats, claims and sweeps fail as they do without a database. The test
/// plays the other host, whose next heartbeat comes later than the sweep of the first one.
#[tokio::test]
async fn outage_of_the_database_is_not_the_death_of_other_hosts() {
    let database = Database::create().await;
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    database
        .execute(
            "insert into inhouse.host (incarnation, name, slots, alive_until)
             values ('00000000-0000-0000-0000-000000000001', 'other', 1, 'infinity')",
        )
        .await;
    database
        .execute("select inhouse.claim('00000000-0000-0000-0000-000000000001', 1, '', null)")
        .await;
    let _host = database.host(1, answer);
    // Long enough for the host to sweep.
    database
        .until("select clock_timestamp() > since + interval '4 seconds' from inhouse.host where name <> 'other'")
        .await;
    database
        .execute("alter table inhouse.host rename to absent")
        .await;
    sleep(Duration::from_millis(3500)).await;
    let end = "alter table inhouse.absent rename to host;
               update inhouse.host set alive_until = clock_timestamp() - interval '1 second' where name = 'other'";
    let end = sqlx::raw_sql(end);
    end.execute(database.store.pool()).await.unwrap();
    // The host sweeps every second.
    sleep(Duration::from_millis(1500)).await;
    let status = database.fleet.work(&work).await.unwrap();
    assert_eq!((status.state, status.attempts), (WorkState::Running, 0));
    // The other host is dead indeed.
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(database.fleet.work(&work).await.unwrap().attempts, 1);
}

/// A sequence survives the rollback of the trigger, so the second try finds the incarnation of the first one, as it finds a row whose insert was
/// committed while its answer was lost.
#[tokio::test]
async fn host_whose_registration_had_no_answer_registers_again() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let _host = database.host(1, answer);
    database
        .until("select exists (select from inhouse.host)")
        .await;
    let statements = "create sequence first_try;
         create function lose_answer() returns trigger language plpgsql as $$
         declare
             number bigint := ('x' || substr(md5(new.incarnation::text), 1, 15))::bit(60)::bigint + 2;
             known bigint := (select last_value from first_try);
         begin
             if known = 1 then
                 perform setval('first_try', number);
                 raise exception 'the answer is lost' using errcode = '08006';
             elsif known = number then
                 raise unique_violation;
             end if;
             return new;
         end $$;
         create trigger lose_answer before insert on inhouse.host for each row execute function lose_answer();
         update inhouse.host set alive_until = '-infinity';
         select inhouse.sweep(gen_random_uuid(), 3, '0', '0')";
    let statements = sqlx::raw_sql(statements);
    statements.execute(database.store.pool()).await.unwrap();
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    assert_eq!(database.answer_to(work).await, "answer to prompt");
}
