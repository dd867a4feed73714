use inhouse::ErrorKind;

use super::error::is_unavailable;
use super::{HostError, HostErrorKind};
use crate::Outcome;
use crate::workspace::WorkspaceError;

/// Why an attempt ends before its turn does.
pub(super) enum End {
    Outcome(Outcome),
    Failed(HostError),
}

impl From<HostError> for End {
    fn from(error: HostError) -> Self {
        Self::Failed(error)
    }
}

impl From<WorkspaceError> for End {
    fn from(error: WorkspaceError) -> Self {
        if error.is_fenced() {
            return Self::Outcome(Outcome::Fenced);
        }
        let kind = match is_unavailable(&error) {
            true => HostErrorKind::Store,
            false => HostErrorKind::Workspace,
        };
        Self::Failed(HostError::new(kind, error.to_string()).with_source(error))
    }
}

impl From<inhouse::Error> for End {
    fn from(error: inhouse::Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Fenced => return Self::Outcome(Outcome::Fenced),
            // A session that was not loaded in time has the store as its cause, unlike a CLI that did not answer in time.
            ErrorKind::Store | ErrorKind::Timeout if is_unavailable(&error) => HostErrorKind::Store,
            ErrorKind::Store => HostErrorKind::Session,
            ErrorKind::Held => HostErrorKind::Held,
            ErrorKind::Config => HostErrorKind::Options,
            _ => HostErrorKind::Agent,
        };
        Self::Failed(HostError::new(kind, error.to_string()).with_source(error))
    }
}
