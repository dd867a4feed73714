//! A store in a SQLite file.

mod erase;
mod journal;
mod leases;
mod store;

use std::path::Path;
use std::time::{Duration, SystemTime};

use sqlx::Row as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Sqlite, SqliteConnection, Transaction};
use tokio::time::{Instant, sleep};

use crate::{Epoch, Result, SessionKey, StoreError, StoreErrorKind, sql};

/// A store in a SQLite file, with leases and a journal.
///
/// The database uses a write-ahead log and is synchronized to the disk with every write, so what a call has acknowledged survives a loss
/// of power. Several processes on one machine may open the same file. A file on a network file system does not work: SQLite's locks need
/// a local one. The file is not removed, and there may be two more files beside it, with `-wal` and `-shm` at the end of their names.
///
/// Entries of at least 1 KiB are compressed if that saves an eighth of them.
///
/// Erased data is overwritten in the file and removed from the write-ahead log. While a process reads from the database, its old pages stay in
/// the log, until the next erasure or until the last process closes the file. Many sessions are erased one by one, and other writes, such as renewals
/// of leases, have their turn in between. The log is emptied after every 100 idle sessions, at the end and after an error. So an
/// [`erase_idle`](crate::SessionStore::erase_idle) whose stream is dropped leaves up to 100 erased sessions in the log, and an
/// [`erase`](crate::SessionStore::erase) whose future is dropped all of its sessions: repeat the call.
///
/// Clones share their connections. Writes use one connection, reads up to 16; an [`EntryStream`](crate::EntryStream) occupies one of them
/// until its end or its drop.
///
/// ```
/// use inhouse_store::sqlite::SqliteStore;
/// use inhouse_store::{Append, Position, SessionKey, SessionStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse_store::Result<()> {
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("agents.db");
/// let store = SqliteStore::open(&path).await?;
/// let session = SessionKey::new("project", "session")?;
/// let epoch = store.fence(&session, None).await?;
/// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
/// store.close().await;
///
/// let again = SqliteStore::open(&path).await?;
/// assert_eq!(again.read(&session.main()).await?, ["{}"]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    writer: SqlitePool,
    readers: SqlitePool,
}

/// The changes of the schema in order. A text that was released never changes: databases have its checksum.
const MIGRATIONS: &[(&str, &str)] = &[("sessions", include_str!("1_sessions.sql"))];

/// How long a write waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause before a file is opened again that another process was opening.
const OPEN_PAUSE: Duration = Duration::from_millis(10);

/// The result code of SQLite for a file that is locked.
const SQLITE_BUSY: &str = "5";

impl SqliteStore {
    /// Opens a file, creates it if it does not exist, and brings its schema up to date.
    ///
    /// # Errors
    /// [`TooNew`](crate::StoreErrorKind::TooNew) if a newer version of this crate has changed the schema, and
    /// [`Unavailable`](crate::StoreErrorKind::Unavailable) if the file cannot be opened or is not a database.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        create_private(path.as_ref())?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .busy_timeout(BUSY_TIMEOUT)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            // Erased data is overwritten with zeros; otherwise it would stay in unused pages.
            .pragma("secure_delete", "on");
        let writer = connect_writer(&options).await?;
        let store = Self {
            writer,
            readers: SqlitePoolOptions::new()
                .max_connections(16)
                .connect_lazy_with(options),
        };
        // sqlx takes no lock for migrations of SQLite: two processes could both create the tables.
        let mut transaction = store.begin().await?;
        let migrations = sql::migrator(MIGRATIONS);
        migrations
            .run_direct(None, &mut *transaction, false)
            .await?;
        transaction.commit().await?;
        Ok(store)
    }

    /// Closes all connections and waits until they are closed. Calls that come later fail with
    /// [`Unavailable`](crate::StoreErrorKind::Unavailable).
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Begins a transaction that holds the only write lock of the file.
    async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        Ok(self.writer.begin_with("begin immediate").await?)
    }

    /// Begins a transaction if `epoch` is the current one of the session.
    async fn begin_held(
        &self,
        session: &SessionKey,
        epoch: Epoch,
    ) -> Result<Transaction<'static, Sqlite>> {
        let mut transaction = self.begin().await?;
        match current_epoch(&mut transaction, session).await? {
            Some(current) if current == epoch => Ok(transaction),
            _ => Err(StoreError::fenced(session, epoch)),
        }
    }
}

/// Connects to a file, and again while others that open it too are changing its journal mode.
///
/// SQLite does not wait for the busy timeout when two connections change the mode: one of them fails at once.
async fn connect_writer(options: &SqliteConnectOptions) -> Result<SqlitePool> {
    let connect = async || {
        let pool = SqlitePoolOptions::new().max_connections(1);
        pool.connect_with(options.clone()).await
    };
    let begun = Instant::now();
    loop {
        match connect().await {
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(SQLITE_BUSY)
                    && begun.elapsed() < BUSY_TIMEOUT =>
            {
                sleep(OPEN_PAUSE).await;
            }
            connected => return Ok(connected?),
        }
    }
}

async fn current_epoch(
    connection: &mut SqliteConnection,
    session: &SessionKey,
) -> Result<Option<Epoch>> {
    let row = sqlx::query("select epoch from inhouse_session where project = ? and session = ?")
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_optional(connection)
        .await?;
    row.map(|row| sql::to_epoch(row.try_get(0)?)).transpose()
}

/// Creates the file if it does not exist, readable only by this user. SQLite gives the files beside it the same mode.
fn create_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| {
        let text = format!("the database {} cannot be opened", path.display());
        StoreError::new(StoreErrorKind::Unavailable, text).with_source(error)
    })
}

/// Gives the session a new owner, under `epoch` or else under the next one.
async fn own(
    connection: &mut SqliteConnection,
    session: &SessionKey,
    epoch: Option<Epoch>,
    owner: Option<(&str, i64)>,
) -> Result<Epoch> {
    let given = epoch.map(|epoch| sql::to_i64(epoch.get())).transpose()?;
    // The greatest epoch also grows with one from elsewhere.
    let epoch: i64 = sqlx::query_scalar(
        "update inhouse_epoch set last = max(last, coalesce(?1, last + 1)) returning coalesce(?1, last)",
    )
    .bind(given)
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query(
        "insert into inhouse_session (project, session, epoch, owner, until, owned) values (?, ?, ?, ?, ?, ?)
         on conflict (project, session) do update
         set epoch = excluded.epoch, owner = excluded.owner, until = excluded.until, owned = excluded.owned",
    )
    .bind(session.project().as_str())
    .bind(session.session())
    .bind(epoch)
    .bind(owner.map(|(owner, _)| owner))
    .bind(owner.map_or(0, |(_, until)| until))
    .bind(now())
    .execute(connection)
    .await?;
    sql::to_epoch(epoch)
}

/// Returns microseconds since 1970. SQLite runs in this process, so the clock of the store is that of the machine.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    sql::to_microseconds(now.unwrap_or_default())
}
