//! A store in PostgreSQL.

mod erase;
mod journal;
mod leases;
mod store;

use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgPool, PgPoolOptions};

use crate::{Result, sql};

/// A store in a PostgreSQL database, with leases and a journal, for many hosts.
///
/// Tables, a sequence and a function whose names begin with `inhouse_` are created in the first schema of the search path. Every write is
/// one statement that checks the epoch and writes, so a host that has lost a session cannot write, and times are those of the server.
///
/// Clones share their connections. An [`EntryStream`](crate::EntryStream) reads pages of about a megabyte, and occupies a connection only while it reads
/// one.
///
/// # Limits
///
/// A call that is dropped continues at the server, and keeps its connection until it ends. So the server limits how long a call waits for a lock that
/// another client holds, such as a person at a terminal: 5 s, and 1 s for a renewal. The call fails with
/// [`Unavailable`](crate::StoreErrorKind::Unavailable) then, and can be repeated. Renewals have up to 4 connections that nothing else uses, so
/// sessions keep their leases while other calls wait. A transaction of an erasure whose host is stopped ends after a minute.
///
/// # TLS
///
/// This crate enables no TLS of sqlx, because there are several to choose from. An application that needs it adds sqlx to its own
/// manifest, with one of its features, such as `sqlx = { version = "0.9", default-features = false, features = ["tls-native-tls"] }`. Cargo
/// builds sqlx once, with the features of all.
///
/// # Example
///
/// ```no_run
/// use inhouse_store::postgres::PostgresStore;
/// use inhouse_store::{Append, Leases, Position, SessionKey, SessionStore};
/// use std::time::Duration;
///
/// # async fn example() -> inhouse_store::Result<()> {
/// let store = PostgresStore::connect("postgres://agent@localhost/agents").await?;
/// let session = SessionKey::new("project", "session")?;
/// let lease = store.acquire(&session, "host-1", Duration::from_secs(30)).await?;
/// let end = store.end(&session.main()).await?;
/// store.append(&session.main(), &Append::new(lease.epoch, end, ["{}"])).await?;
/// store.release(&lease).await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pool: PgPool,
    /// The connections for renewals and releases.
    lease_pool: PgPool,
}

/// How long a connection is used again without a test.
const TRUSTED: Duration = Duration::from_secs(1);

/// The changes of the schema in order. A text that was released never changes: databases have its checksum.
const MIGRATIONS: &[(&str, &str)] = &[("sessions", include_str!("1_sessions.sql"))];

/// The connections of a store with its own pool, apart from those for leases.
const CONNECTIONS: u32 = 12;

/// The connections for renewals and releases.
const LEASE_CONNECTIONS: u32 = 4;

impl PostgresStore {
    /// Connects to the database of a URL, with up to 16 connections, and brings its schema up to date.
    ///
    /// # Errors
    /// See [`from_pool`](Self::from_pool); [`Invalid`](crate::StoreErrorKind::Invalid) if the URL is not one.
    pub async fn connect(url: &str) -> Result<Self> {
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            // By default a connection is tested before each statement, which doubles the round trips.
            .test_before_acquire(false)
            .before_acquire(|connection, usage| {
                Box::pin(async move {
                    if usage.idle_for > TRUSTED {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            });
        Self::from_pool(pool.connect(url).await?).await
    }

    /// Uses a pool of the application, and brings the schema of its database up to date.
    ///
    /// Leases are renewed on up to 4 more connections, which are opened with the options of the pool.
    ///
    /// # Errors
    /// [`TooNew`](crate::StoreErrorKind::TooNew) if a newer version of this crate has changed the schema, and
    /// [`Unavailable`](crate::StoreErrorKind::Unavailable) if the server cannot be reached or does not let the user create tables.
    pub async fn from_pool(pool: PgPool) -> Result<Self> {
        // A migration that fails leaves its advisory lock with the connection, so that connection is closed.
        let mut connection = pool.acquire().await?.detach();
        let migrations = sql::migrator(MIGRATIONS);
        let migrated = migrations.run_direct(None, &mut connection, false).await;
        sqlx::Connection::close(connection).await?;
        migrated?;
        let lease_options = pool.options().clone().min_connections(0);
        let lease_pool = lease_options
            .max_connections(LEASE_CONNECTIONS)
            .connect_lazy_with((*pool.connect_options()).clone());
        Ok(Self { pool, lease_pool })
    }

    /// Returns the pool of connections, for statements of the application in the same database.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Closes all connections and waits until they are closed. Calls that come later fail with
    /// [`Unavailable`](crate::StoreErrorKind::Unavailable).
    pub async fn close(&self) {
        self.lease_pool.close().await;
        self.pool.close().await;
    }
}
