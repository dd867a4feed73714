//! Working directories of sessions: prepared before the CLI starts, saved before a result counts.

mod directory;
mod error;
mod manifest;
mod shared;
mod stored;
mod tree;

use std::path::{Path, PathBuf};

use async_trait::async_trait;

pub use self::error::WorkspaceError;
pub use self::shared::SharedVolume;
pub use self::stored::StoreWorkspace;
use crate::{Fence, Work};

/// Provides the working directory of each session.
///
/// The path of a session's directory must be the same on every host, because transcripts contain it.
///
/// ```
/// use inhouse_fleet::{Fence, PreparedWorkspace, SharedVolume, Work, Workspace, WorkspaceError, async_trait};
/// use std::path::PathBuf;
///
/// /// A volume that is shared by the sessions of a tenant.
/// struct ByTenant;
///
/// #[async_trait]
/// impl Workspace for ByTenant {
///     async fn prepare(&self, work: &Work, _: &Fence) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError> {
///         Ok(Box::new(PathBuf::from("/srv/tenants").join(&work.tenant)))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), WorkspaceError> {
/// let work = Work::new("customer-42", "Hello").tenant("acme");
/// let fence = Fence::new("inhouse-fleet", work.session_id(), 1);
/// let workspace = ByTenant.prepare(&work, &fence).await?;
/// assert_eq!(workspace.path(), PathBuf::from("/srv/tenants/acme"));
/// # Ok(()) }
/// ```
#[async_trait]
pub trait Workspace: Send + Sync {
    /// Makes the directory of a session ready for a turn of this host, which owns the session.
    ///
    /// # Errors
    /// An error ends the attempt, and no CLI is started.
    async fn prepare(
        &self,
        work: &Work,
        fence: &Fence,
    ) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError>;
}

/// The directory of one session during one turn.
#[async_trait]
pub trait PreparedWorkspace: Send + Sync {
    /// Returns the working directory of the CLI.
    fn path(&self) -> &Path;

    /// Stores what has changed since the last save, so that another host can continue. Does nothing by default.
    ///
    /// Called when a turn has ended, before its result counts, and once more when the CLI has exited, because background tasks may have written
    /// meanwhile. Also called after a turn was stopped.
    ///
    /// # Errors
    /// An error ends the attempt, and the result of the turn does not count.
    async fn save(&self) -> Result<(), WorkspaceError> {
        Ok(())
    }

    /// Returns whether [`save`](Self::save) is also called after each tool call, before the transcript has its result. `false` by default.
    ///
    /// So the files of a host that is killed in the middle of a turn are never older than the transcript with which another host continues.
    fn saves_after_calls(&self) -> bool {
        false
    }
}

/// A directory that needs no saving.
#[async_trait]
impl PreparedWorkspace for PathBuf {
    fn path(&self) -> &Path {
        self
    }
}
