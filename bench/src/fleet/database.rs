//! A separate database for each measurement, and the counters of its server.

use std::error::Error;
use std::time::Duration;

use inhouse_fleet::Fleet;
use inhouse_store::postgres::PostgresStore;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::generator::Failure;
use crate::proc::{cpu_microseconds_with_children, parent};

/// How long a condition may take to become true.
const DEADLINE: Duration = Duration::from_secs(240);

/// A new database on a server.
pub struct Database {
    url: String,
    store: PostgresStore,
    fleet: Fleet,
    /// The process that is the parent of all processes of the server.
    postmaster: String,
}

/// The counters of a database and its server at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    at: Instant,
    transactions: i64,
    /// The bytes of the write-ahead log so far.
    log: i64,
    cpu: Duration,
}

/// The difference between two moments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    pub(super) seconds: f64,
    pub(super) transactions: f64,
    pub(super) log_bytes: f64,
    pub(super) cpu: Duration,
}

impl Database {
    /// Creates a database with the schema of a fleet on the server of a URL.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached.
    pub async fn create(server: &str) -> Result<Self, Box<dyn Error>> {
        let name = format!("bench_{}", Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(server).await?;
        let create = AssertSqlSafe(format!("create database {name}"));
        sqlx::query(create).execute(&mut connection).await?;
        let backend: i32 = sqlx::query_scalar("select pg_backend_pid()")
            .fetch_one(&mut connection)
            .await?;
        let postmaster = parent(&backend.to_string())?;
        connection.close().await?;
        let address = server
            .rsplit_once('/')
            .map_or(server, |(address, _)| address);
        let url = format!("{address}/{name}");
        let store = PostgresStore::connect(&url).await?;
        let fleet = Fleet::postgres(&store);
        fleet.migrate().await?;
        Ok(Self {
            url,
            store,
            fleet,
            postmaster,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    pub(super) fn pool(&self) -> &PgPool {
        self.store.pool()
    }

    /// Executes a statement.
    pub(super) async fn execute(&self, statement: &'static str) -> sqlx::Result<()> {
        sqlx::query(statement).execute(self.pool()).await?;
        Ok(())
    }

    /// Returns the number that a query returns.
    pub(super) async fn number(&self, query: &'static str) -> sqlx::Result<i64> {
        sqlx::query_scalar(query).fetch_one(self.pool()).await
    }

    /// Waits until the number that a query returns meets a condition.
    pub(super) async fn until(
        &self,
        query: &'static str,
        is_met: impl Fn(i64) -> bool,
    ) -> Result<(), Box<dyn Error>> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let number = self.number(query).await?;
            if is_met(number) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Failure::new(format!("{query}: still {number}")).into());
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the present counters.
    pub(super) async fn counters(&self) -> Result<Counters, Box<dyn Error>> {
        let transactions = self
            .number("select xact_commit from pg_stat_database where datname = current_database()")
            .await?;
        let log = self
            .number("select (pg_current_wal_insert_lsn() - '0/0')::bigint")
            .await?;
        let cpu = cpu_microseconds_with_children(&self.postmaster)?;
        Ok(Counters {
            at: Instant::now(),
            transactions,
            log,
            cpu: Duration::from_micros(cpu),
        })
    }

    /// Returns what was spent since an earlier moment.
    pub(super) async fn spent_since(&self, begin: &Counters) -> Result<Spent, Box<dyn Error>> {
        let seconds = begin.at.elapsed().as_secs_f64();
        let now = self.counters().await?;
        Ok(Spent {
            seconds,
            transactions: (now.transactions - begin.transactions) as f64,
            log_bytes: (now.log - begin.log) as f64,
            cpu: now.cpu.saturating_sub(begin.cpu),
        })
    }
}
