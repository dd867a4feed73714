//! Code of both SQL adapters: errors, numbers, times, page tokens and migrations.

use std::time::{Duration, SystemTime};

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use crate::{
    Epoch, Page, PageToken, Position, Result, SessionInfo, SessionKey, SessionPage, StoreError,
    StoreErrorKind,
};

/// Returns the migrations of a database, in a table that does not collide with those of the application.
pub(crate) fn migrator(scripts: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = scripts.iter().zip(1..).map(|((name, sql), version)| {
        let sql = sql.into_sql_str();
        Migration::new(version, (*name).into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    migrator.dangerous_set_table_name("inhouse_migrations");
    migrator
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, Configuration, Decode, Encode, InvalidArgument, Migrate};
        let kind = match error {
            Configuration(_) | InvalidArgument(_) | Encode(_) => StoreErrorKind::Invalid,
            Decode(_) | ColumnDecode { .. } => StoreErrorKind::Corrupt,
            Migrate(error) => return (*error).into(),
            _ => StoreErrorKind::Unavailable,
        };
        Self::new(kind, "database").with_source(error)
    }
}

impl From<MigrateError> for StoreError {
    fn from(error: MigrateError) -> Self {
        let kind = match error {
            MigrateError::Execute(error) => return error.into(),
            // A migration that this version does not know, or knows with another text.
            MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_) => {
                StoreErrorKind::TooNew
            }
            _ => StoreErrorKind::Unavailable,
        };
        Self::new(kind, "schema of the database").with_source(error)
    }
}

/// Converts a position, an epoch or a length to the type of the database.
pub(crate) fn to_i64(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| {
        let message = format!("the number {number} is too large");
        StoreError::new(StoreErrorKind::Invalid, message)
    })
}

pub(crate) fn to_u64(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| {
        let message = format!("negative number {number}");
        StoreError::new(StoreErrorKind::Corrupt, message)
    })
}

pub(crate) fn to_position(number: i64) -> Result<Position> {
    to_u64(number).map(Position::new)
}

pub(crate) fn to_epoch(number: i64) -> Result<Epoch> {
    to_u64(number).map(Epoch::new)
}

/// Converts microseconds since 1970.
pub(crate) fn to_time(microseconds: i64) -> Result<SystemTime> {
    Ok(SystemTime::UNIX_EPOCH + Duration::from_micros(to_u64(microseconds)?))
}

/// Converts a duration to microseconds; one that is too long means forever.
pub(crate) fn to_microseconds(duration: Duration) -> i64 {
    // A tenth of the range, so that a sum with the present time stays within it.
    let longest = i64::MAX / 10;
    i64::try_from(duration.as_micros()).map_or(longest, |time| time.min(longest))
}

/// A place in the list of sessions: the one with this time and this id was the last on the page before.
pub(crate) struct Place {
    pub(crate) modified: i64,
    pub(crate) session: String,
}

impl Place {
    /// Returns the place before the first row of a page.
    pub(crate) fn before(page: &Page) -> Result<Self> {
        let Some(token) = &page.after else {
            return Ok(Self {
                modified: i64::MAX,
                session: String::new(),
            });
        };
        let parts = token.as_str().split_once('.');
        let place = parts.and_then(|(modified, session)| {
            Some(Self {
                modified: modified.parse().ok()?,
                session: session.to_owned(),
            })
        });
        place.ok_or_else(|| {
            StoreError::new(StoreErrorKind::Invalid, format!("page token {token:?}"))
        })
    }

    fn token(&self) -> PageToken {
        PageToken::new(format!("{}.{}", self.modified, self.session))
    }
}

/// Returns a page from the rows of a query that asked for one more than the limit.
pub(crate) fn page(page: &Page, mut rows: Vec<(i64, SessionInfo)>) -> SessionPage {
    let limit = page.limit.max(1);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|(modified, info)| {
        let session = info.key.session().to_owned();
        let modified = *modified;
        Place { modified, session }.token()
    });
    SessionPage::new(rows.into_iter().map(|(_, info)| info).collect(), next)
}

/// Returns the limit of a query for a page: one more, to see whether there is a next page.
pub(crate) fn row_limit(page: &Page) -> i64 {
    i64::try_from(page.limit.max(1)).map_or(i64::MAX, |limit| limit.saturating_add(1))
}

/// Returns the error for a lease that another owner has.
pub(crate) fn held(session: &SessionKey) -> StoreError {
    let message = format!("another owner holds the lease of session {session}");
    StoreError::new(StoreErrorKind::Held, message)
}

/// Returns the error for a result without an intent.
pub(crate) fn no_call(session: &SessionKey, call: &str) -> StoreError {
    let message = format!("session {session} has no call {call}");
    StoreError::new(StoreErrorKind::NotFound, message)
}
