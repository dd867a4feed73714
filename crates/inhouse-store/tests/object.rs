//! The battery on object stores that need no server.
#![cfg(feature = "object")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use inhouse_store::object::ObjectStore;
use inhouse_store::{
    Append, Bytes, Position, SessionKey, SessionStore, StoreErrorKind, async_trait,
};
use inhouse_testkit::store_battery;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore as Backend, PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use tempfile::tempdir;
use tokio::time::timeout;

/// Turns a call that never ends into a failure; no call takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn object_store_in_memory_passes_the_battery() {
    let backend = Arc::new(InMemory::new());
    store_battery::run(async || ObjectStore::new(backend.clone())).await;
}

#[tokio::test]
async fn local_directory_passes_the_battery() {
    let directory = tempdir().unwrap();
    let open = async || {
        let backend = LocalFileSystem::new_with_prefix(directory.path()).unwrap();
        ObjectStore::new(Arc::new(backend)).prefix("agents/sessions")
    };
    store_battery::run(open).await;
}

#[tokio::test]
async fn backend_that_ignores_the_offset_of_a_list_passes_the_battery() {
    let inner = Arc::new(InMemory::new());
    let open = async || ObjectStore::new(Arc::new(Quirk::new(&inner, List::FromTheBeginning)));
    timeout(DEADLINE, store_battery::run(open)).await.unwrap();
}

#[tokio::test]
async fn record_that_is_not_listed_does_not_hide_a_new_owner() {
    let inner = Arc::new(InMemory::new());
    let owner = ObjectStore::new(inner.clone());
    let session = SessionKey::new("project", "session").unwrap();
    let late = ObjectStore::new(Arc::new(Quirk::new(&inner, List::Nothing)));
    let old = late.fence(&session, None).await.unwrap();
    owner.fence(&session, None).await.unwrap();

    // The lists of the former owner show nothing, but its create meets the record of the new owner.
    let append = Append::new(old, Position::START, ["a"]);
    let appended = timeout(DEADLINE, late.append(&session.main(), &append)).await;
    let error = appended.unwrap().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Fenced, "{error}");
}

/// A backend in memory whose lists differ.
#[derive(Debug)]
struct Quirk {
    inner: Arc<InMemory>,
    list: List,
}

#[derive(Debug)]
enum List {
    FromTheBeginning,
    Nothing,
}

impl Quirk {
    fn new(inner: &Arc<InMemory>, list: List) -> Self {
        let inner = inner.clone();
        Self { inner, list }
    }
}

impl fmt::Display for Quirk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[async_trait]
impl Backend for Quirk {
    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        match self.list {
            List::FromTheBeginning => self.inner.list(prefix),
            List::Nothing => stream::empty().boxed(),
        }
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        _: &Path,
    ) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.list(prefix)
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        self.inner.get_opts(location, options).await
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> object_store::Result<Vec<Bytes>> {
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(locations)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &Path,
        to: &Path,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
