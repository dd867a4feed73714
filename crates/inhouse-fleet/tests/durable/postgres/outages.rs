//! A database that is away for a while, and answers that are lost with it.

use inhouse_fleet::Work;

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
    let outage =
        "alter table inhouse.event add column at timestamptz not null default clock_timestamp();
                  alter table inhouse.host rename to absent;
                  create table outage as select clock_timestamp() as moment";
    let outage = sqlx::raw_sql(outage);
    outage.execute(database.store.pool()).await.unwrap();
    database
        .until("select clock_timestamp() > moment + interval '3.5 seconds' from outage")
        .await;
    let end = "alter table inhouse.absent rename to host;
               update inhouse.host set alive_until = clock_timestamp() - interval '1 second' where name = 'other';
               update outage set moment = clock_timestamp()";
    let end = sqlx::raw_sql(end);
    end.execute(database.store.pool()).await.unwrap();
    // The other host is dead indeed, but had the time for a heartbeat. The host sweeps every second.
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(database.fleet.work(&work).await.unwrap().attempts, 1);
    let has_waited = "select e.at > o.moment + interval '3 seconds' from inhouse.event e, outage o where e.kind = 'failed'";
    let has_waited = sqlx::query_scalar(has_waited);
    let has_waited: bool = has_waited.fetch_one(database.store.pool()).await.unwrap();
    assert!(has_waited);
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
