use std::error::Error as StdError;
use std::fmt;

use inhouse_store::{StoreError, StoreErrorKind};
use sqlx::migrate::MigrateError;

/// An error of a fleet, whose kind says what the caller does next.
pub struct FleetError {
    kind: FleetErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`FleetError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FleetErrorKind {
    /// The database cannot be reached or failed. Whether the call took effect is unknown: repeat it.
    Unavailable,
    /// There is no such work, question or host. It may have been removed after its retention.
    NotFound,
    /// The id or the dedupe key of the work belongs to work with another session or text. Use another key.
    Conflict,
    /// An argument is not valid. Repeating the call does not help.
    Invalid,
    /// The question has an answer, which counts. The new one was not stored.
    AlreadyAnswered,
    /// The question needs no answer any more: its work ended, or continued without this call.
    Closed,
    /// The work was parked. Look at the reason, then retry it with [`Fleet::retry`](super::Fleet::retry).
    Parked,
    /// The work was cancelled.
    Cancelled,
    /// The work or the session is not in a state that allows the call. Cancel it or wait for its end first.
    Busy,
    /// The database does not let the role do this, or a table or function is not there. Repeating the call does not help: grant the rights, and
    /// let [`Fleet::migrate`](super::Fleet::migrate) create the schema.
    Refused,
    /// A newer version of this crate has changed the schema of the database. Update this program.
    TooNew,
    /// Stored data cannot be read back.
    Corrupt,
}

impl FleetError {
    pub(super) fn new(kind: FleetErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    pub(super) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    pub(super) fn not_found(what: &str, id: impl fmt::Display) -> Self {
        Self::new(FleetErrorKind::NotFound, format!("there is no {what} {id}"))
    }

    /// Returns the kind of this error.
    #[must_use]
    pub fn kind(&self) -> FleetErrorKind {
        self.kind
    }

    /// Returns whether repeating the same call can succeed without further action.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.kind == FleetErrorKind::Unavailable
    }

    /// Returns whether the same write may be accepted later: rights that are missing can be granted while its turn still waits.
    pub(super) fn may_pass(&self) -> bool {
        self.is_retryable() || self.kind == FleetErrorKind::Refused
    }
}

impl From<sqlx::Error> for FleetError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, Configuration, Database, Decode, Encode, Migrate};
        let code = match &error {
            Database(error) => error.code().unwrap_or_default().into_owned(),
            _ => String::new(),
        };
        // The functions of the schema raise the codes with IH. Class 22 is that of values which PostgreSQL does not accept, such as a text with a
        // NUL; 28 that of roles which may not connect, 3D and 3F of databases and schemas which are not there, 42 of missing rights and objects.
        let kind = match &error {
            Database(_) if code == "IH001" => FleetErrorKind::Conflict,
            Database(_) if code == "IH002" || code.starts_with("22") => FleetErrorKind::Invalid,
            Database(_)
                if ["28", "3D", "3F", "42"]
                    .iter()
                    .any(|class| code.starts_with(class)) =>
            {
                FleetErrorKind::Refused
            }
            Configuration(_) | Encode(_) => FleetErrorKind::Invalid,
            Decode(_) | ColumnDecode { .. } => FleetErrorKind::Corrupt,
            Migrate(_) => {
                let Migrate(error) = error else {
                    unreachable!()
                };
                return (*error).into();
            }
            _ => FleetErrorKind::Unavailable,
        };
        match &error {
            Database(raised) if code.starts_with("IH") => Self::new(kind, raised.message()),
            _ => Self::new(kind, "the database").with_source(error),
        }
    }
}

impl From<MigrateError> for FleetError {
    fn from(error: MigrateError) -> Self {
        let kind = match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                return error.into();
            }
            // A migration that this version does not know, or knows with another text.
            MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_) => {
                FleetErrorKind::TooNew
            }
            _ => FleetErrorKind::Unavailable,
        };
        Self::new(kind, "the schema of the database").with_source(error)
    }
}

impl From<StoreError> for FleetError {
    fn from(error: StoreError) -> Self {
        let kind = match error.kind() {
            StoreErrorKind::Unavailable => FleetErrorKind::Unavailable,
            StoreErrorKind::Corrupt => FleetErrorKind::Corrupt,
            StoreErrorKind::TooNew => FleetErrorKind::TooNew,
            _ => FleetErrorKind::Invalid,
        };
        Self::new(kind, "the store").with_source(error)
    }
}

impl From<serde_json::Error> for FleetError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(FleetErrorKind::Corrupt, "a stored value cannot be read").with_source(error)
    }
}

impl FleetErrorKind {
    fn advice(self) -> &'static str {
        match self {
            Self::Unavailable => "the database is unavailable; repeat the call",
            Self::NotFound => "not found",
            Self::Conflict => "the id or dedupe key is taken; use another one",
            Self::Invalid => "invalid argument",
            Self::AlreadyAnswered => "the question has an answer, which counts",
            Self::Closed => "the question needs no answer any more",
            Self::Parked => "the work was parked; retry it when its cause is removed",
            Self::Cancelled => "the work was cancelled",
            Self::Busy => "the state does not allow this; cancel it or wait for its end first",
            Self::Refused => {
                "the database refuses this; check the rights of the role and the schema `inhouse`"
            }
            Self::TooNew => "the schema was changed by a newer version; update this program",
            Self::Corrupt => "stored data cannot be read",
        }
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.advice(), self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind)
    }
}

impl StdError for FleetError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
