//! The mirror of a session, with a CLI in memory and a store that only acknowledges.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use inhouse::{Options, query};
use inhouse_store::{
    Append, Bytes, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Page, Position,
    ProjectKey, Result as StoreResult, SessionKey, SessionPage, SessionStore, StreamKey,
    async_trait,
};

use crate::in_memory::{InMemoryCli, Load};
use crate::proc::process_cpu;
use crate::report::Report;

/// Mirrors this many entries of one turn, each in a separate frame.
///
/// With `one_by_one` the CLI sends a frame when the one before is stored, so that no two share an append.
///
/// # Errors
/// Returns an error if the session fails, or an entry is not stored.
pub async fn mirror(
    one_by_one: bool,
    entries: u64,
    bytes: usize,
) -> Result<Report, Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let cli = InMemoryCli::new(
        Load::Frames {
            count: entries,
            bytes,
            one_by_one,
        },
        0,
    );
    let store = Acknowledging {
        cli: one_by_one.then(|| cli.clone()),
        stored: Arc::default(),
        appends: Arc::default(),
    };
    let options = Options::new()
        .session_root(root.path().join("sessions"))
        .env("CLAUDE_CONFIG_DIR", root.path())
        .store(store.clone());
    query("Begin.")
        .options(options)
        .transport(cli.transport())
        .await?
        .finish()
        .await?;
    if store.stored.load(Ordering::SeqCst) != entries {
        return Err("not every entry was stored".into());
    }
    let mut report = Report::default();
    report.add_process()?;
    report.count("appends", store.appends.load(Ordering::SeqCst));
    let cpu = process_cpu().as_secs_f64() * 1e6;
    report.set("each_us", cpu / entries as f64);
    Ok(report)
}

/// A store that keeps only the numbers of entries and appends.
#[derive(Clone)]
struct Acknowledging {
    /// The CLI that waits for each append.
    cli: Option<InMemoryCli>,
    stored: Arc<AtomicU64>,
    appends: Arc<AtomicU64>,
}

#[async_trait]
impl SessionStore for Acknowledging {
    async fn fence(&self, _: &SessionKey, _: Option<Epoch>) -> StoreResult<Epoch> {
        Ok(Epoch::new(1))
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> StoreResult<Position> {
        if stream.is_main() {
            let count = append.entries.len() as u64;
            let before = self.stored.fetch_add(count, Ordering::SeqCst);
            assert_eq!(
                before,
                append.position.get(),
                "no entry is missing or repeated"
            );
            self.appends.fetch_add(1, Ordering::SeqCst);
            if let Some(cli) = &self.cli {
                cli.continue_turn();
            }
        }
        Ok(append.end())
    }

    async fn end(&self, _: &StreamKey) -> StoreResult<Position> {
        Ok(Position::START)
    }

    fn load(&self, _: &StreamKey, _: Position) -> EntryStream {
        unreachable!("a new session is not loaded")
    }

    async fn subpaths(&self, _: &SessionKey) -> StoreResult<Vec<StreamKey>> {
        Ok(Vec::new())
    }

    async fn list(&self, _: &ProjectKey, _: &Page) -> StoreResult<SessionPage> {
        Ok(SessionPage::new(Vec::new(), None))
    }

    async fn put_file(&self, _: &SessionKey, _: Epoch, _: &FilePath, _: Bytes) -> StoreResult<()> {
        Ok(())
    }

    async fn file(&self, _: &SessionKey, _: &FilePath) -> StoreResult<Option<Bytes>> {
        Ok(None)
    }

    async fn files(&self, _: &SessionKey) -> StoreResult<Vec<FileInfo>> {
        Ok(Vec::new())
    }

    async fn erase(&self, _: &Erase) -> StoreResult<()> {
        Ok(())
    }

    fn erase_idle(&self, _: Duration, _: Option<&ProjectKey>) -> ErasedStream {
        unreachable!("nothing is erased")
    }
}
