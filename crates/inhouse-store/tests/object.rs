//! The battery on object stores that need no server.
#![cfg(feature = "object")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use inhouse_store::object::ObjectStore;
use inhouse_store::{
    Append, Bytes, FilePath, Position, SessionKey, SessionStore, StoreErrorKind, async_trait,
};
use inhouse_testkit::store_battery;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore as Backend, ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions,
    PutPayload, PutResult,
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
    store_battery::run(open).await;
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

#[tokio::test]
async fn interrupted_erasure_of_a_subpath_is_completed_by_the_next_call() {
    for other_host in [false, true] {
        let inner = Arc::new(InMemory::new());
        let backend = Arc::new(Quirk::new(&inner, List::FromTheBeginning));
        let store = ObjectStore::new(backend.clone());
        let session = SessionKey::new("project", "session").unwrap();
        let epoch = store.fence(&session, None).await.unwrap();
        let sub = session.stream("subagents/agent-1").unwrap();
        for (stream, text) in [(&session.main(), "kept"), (&sub, "secret")] {
            for position in 0..3 {
                let append = Append::new(epoch, Position::new(position), [text]);
                store.append(stream, &append).await.unwrap();
            }
        }
        // The marker and the first of three records are written, the second is not.
        backend.overwrites.store(1, Ordering::Relaxed);
        store.erase(&sub.clone().into()).await.unwrap_err();
        assert_eq!(objects_with(&inner, "secret").await, 2);
        backend.overwrites.store(usize::MAX, Ordering::Relaxed);

        let store = match other_host {
            true => ObjectStore::new(backend),
            false => store,
        };
        assert_eq!(store.read(&sub).await.unwrap().len(), 0);
        store.erase(&sub.into()).await.unwrap();
        assert_eq!(objects_with(&inner, "secret").await, 0);
        assert_eq!(store.read(&session.main()).await.unwrap(), ["kept"; 3]);
    }
}

#[tokio::test]
async fn erased_session_leaves_no_content() {
    let inner = Arc::new(InMemory::new());
    let store = ObjectStore::new(inner.clone());
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    for stream in [session.main(), session.stream("results").unwrap()] {
        let append = Append::new(epoch, Position::START, ["secret"]).summary("secret");
        store.append(&stream, &append).await.unwrap();
    }
    let path = FilePath::new("tool-results/a.txt").unwrap();
    let content = Bytes::from("secret");
    store
        .put_file(&session, epoch, &path, content)
        .await
        .unwrap();
    assert!(objects_with(&inner, "secret").await >= 4);
    store.erase(&session.into()).await.unwrap();
    assert_eq!(objects_with(&inner, "secret").await, 0);
    assert_eq!(objects_with(&inner, "").await, 1, "the marker");
}

/// The first attempt takes effect and its answer is lost, so the client of the backend repeats it and finds its own object.
#[tokio::test]
async fn file_whose_record_is_created_by_a_repetition_keeps_its_content() {
    let inner = Arc::new(InMemory::new());
    let backend = Arc::new(Quirk::new(&inner, List::FromTheBeginning));
    let store = ObjectStore::new(backend.clone());
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    let path = FilePath::new("tool-results/a.txt").unwrap();
    for content in ["first", "second"] {
        backend.repeats_create.store(true, Ordering::Relaxed);
        let put = store.put_file(&session, epoch, &path, content.into());
        timeout(DEADLINE, put).await.unwrap().unwrap();
        for store in [&store, &ObjectStore::new(inner.clone())] {
            let file = store.file(&session, &path).await.unwrap();
            assert_eq!(file.unwrap(), content);
        }
    }
    assert_eq!(objects_with(&inner, "first").await, 0);
    assert_eq!(objects_with(&inner, "second").await, 1);
}

/// Returns the number of objects that contain a text.
async fn objects_with(backend: &InMemory, text: &str) -> usize {
    let objects: Vec<_> = backend.list(None).collect().await;
    let mut count = 0;
    for object in objects {
        let object = backend.get(&object.unwrap().location).await.unwrap();
        let content = object.bytes().await.unwrap();
        count += usize::from(String::from_utf8_lossy(&content).contains(text));
    }
    count
}

/// A backend in memory whose lists differ, and whose writes fail or are repeated.
#[derive(Debug)]
struct Quirk {
    inner: Arc<InMemory>,
    list: List,
    /// How many objects can still be overwritten.
    overwrites: AtomicUsize,
    /// Whether the answer to the next create is lost, and the create repeated.
    repeats_create: AtomicBool,
}

#[derive(Debug)]
enum List {
    FromTheBeginning,
    Nothing,
}

impl Quirk {
    fn new(inner: &Arc<InMemory>, list: List) -> Self {
        Self {
            inner: inner.clone(),
            list,
            overwrites: AtomicUsize::new(usize::MAX),
            repeats_create: AtomicBool::new(false),
        }
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
        if options.mode == PutMode::Overwrite {
            let left = self
                .overwrites
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                });
            if left.is_err() {
                let source = "overwriting is refused".into();
                return Err(object_store::Error::Generic {
                    store: "quirk",
                    source,
                });
            }
        }
        if options.mode == PutMode::Create && self.repeats_create.swap(false, Ordering::Relaxed) {
            let (payload, options) = (payload.clone(), options.clone());
            self.inner.put_opts(location, payload, options).await?;
        }
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
