use std::path::PathBuf;

use async_trait::async_trait;

use super::{PreparedWorkspace, Workspace, WorkspaceError};
use crate::{Fence, Work};

/// A volume that every host has mounted at the same path, with a directory for each session: `<root>/<session id>`.
///
/// Files are written to the volume directly, so nothing has to be saved. The volume has no fence: a host that was stopped and wakes up after
/// another one has taken over may still write until its CLI is killed, which happens at once.
///
/// ```
/// use inhouse_fleet::{Fence, SharedVolume, Work, Workspace};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let root = tempfile::tempdir()?;
/// # let root = root.path();
/// let volume = SharedVolume::new(root);
/// let work = Work::new("customer-42", "Hello");
/// let fence = Fence::new("inhouse-fleet", work.session_id(), 1);
/// let workspace = volume.prepare(&work, &fence).await?;
/// assert_eq!(workspace.path(), root.join(work.session_id().to_string()));
/// assert!(workspace.path().is_dir());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SharedVolume {
    root: PathBuf,
}

impl SharedVolume {
    /// Creates a workspace below this directory.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

#[async_trait]
impl Workspace for SharedVolume {
    async fn prepare(
        &self,
        _: &Work,
        fence: &Fence,
    ) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError> {
        let path = self.root.join(fence.session.to_string());
        let created = tokio::fs::create_dir_all(&path).await;
        created.map_err(|error| {
            let text = format!("the directory {} cannot be created", path.display());
            WorkspaceError::new(text).with_source(error)
        })?;
        Ok(Box::new(path))
    }
}
