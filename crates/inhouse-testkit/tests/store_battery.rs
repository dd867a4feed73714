//! The battery finds defects of stores.
#![cfg(feature = "store")]

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use inhouse_store::memory::MemoryStore;
use inhouse_store::{
    Append, Bytes, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Page, Position,
    ProjectKey, Result, SessionKey, SessionPage, SessionStore, StreamKey, async_trait,
};
use inhouse_testkit::store_battery;

#[tokio::test]
async fn battery_finds_a_store_that_duplicates_retries() {
    let report = report(Defect::DuplicatesRetries).await;
    assert!(
        report.contains("repeated_append_changes_nothing"),
        "{report}"
    );
    assert!(report.contains("cancelled_append_happens"), "{report}");
    assert!(!report.contains("entries_load_in_order"), "{report}");
}

#[tokio::test]
async fn battery_finds_a_store_that_replaces_bytes() {
    let report = report(Defect::ReplacesInvalidText).await;
    assert!(report.contains("raw_lone_surrogates_are_kept"), "{report}");
    assert!(!report.contains("escaped_lone_surrogates"), "{report}");
}

#[tokio::test]
async fn battery_finds_a_store_without_a_fence() {
    let report = report(Defect::AcceptsFormerOwners).await;
    assert!(report.contains("former_owner_is_fenced"), "{report}");
    assert!(report.contains("owner_of_an_erased_session"), "{report}");
}

#[tokio::test]
async fn battery_finds_a_store_that_forgets_entries() {
    let report = report(Defect::ForgetsTheLastEntry).await;
    assert!(report.contains("entries_load_in_order"), "{report}");
}

/// Returns what the battery says about a store with a defect.
async fn report(defect: Defect) -> String {
    let store = Defective {
        inner: MemoryStore::new(),
        defect,
    };
    let run = store_battery::run(async || store.clone());
    let panic = AssertUnwindSafe(run).catch_unwind().await.unwrap_err();
    *panic.downcast::<String>().unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Defect {
    DuplicatesRetries,
    ReplacesInvalidText,
    AcceptsFormerOwners,
    ForgetsTheLastEntry,
}

#[derive(Clone)]
struct Defective {
    inner: MemoryStore,
    defect: Defect,
}

#[async_trait]
impl SessionStore for Defective {
    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        let mut append = append.clone();
        match self.defect {
            Defect::DuplicatesRetries => append.position = self.inner.end(stream).await?,
            Defect::ReplacesInvalidText => {
                for entry in &mut append.entries {
                    *entry = String::from_utf8_lossy(entry).into_owned().into();
                }
            }
            Defect::AcceptsFormerOwners => {
                append.epoch = self.inner.fence(stream.session(), None).await?;
            }
            Defect::ForgetsTheLastEntry => drop(append.entries.pop()),
        }
        self.inner.append(stream, &append).await
    }

    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        self.inner.fence(session, epoch).await
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        self.inner.end(stream).await
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        self.inner.load(stream, from)
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        self.inner.subpaths(session).await
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        self.inner.list(project, page).await
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        self.inner.put_file(session, epoch, path, content).await
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        self.inner.file(session, path).await
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        self.inner.files(session).await
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        self.inner.erase(what).await
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        self.inner.erase_idle(idle, project)
    }
}
