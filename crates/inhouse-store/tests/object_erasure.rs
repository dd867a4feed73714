//! Erasure in an object store while another host writes: the other host does its work at each request in turn.
#![cfg(feature = "object")]

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, pending};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use inhouse_store::object::ObjectStore;
use inhouse_store::{
    Append, Bytes, Epoch, FilePath, Page, Position, Result, SessionKey, SessionStore, StoreError,
    async_trait,
};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore as Backend, ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload,
    PutResult,
};

const SECRET: &str = "secret";

fn session() -> SessionKey {
    SessionKey::new("project", "session").unwrap()
}

fn path() -> FilePath {
    FilePath::new("tool-results/a.txt").unwrap()
}

/// One host whose requests are interrupted once, and another one.
struct Hosts {
    inner: Arc<InMemory>,
    script: Arc<Script>,
    one: ObjectStore,
    other: ObjectStore,
    epoch: Epoch,
}

impl Hosts {
    /// Creates a session that the first host owns and has written to.
    async fn new() -> Self {
        Self::with_times(|object| object).await
    }

    async fn with_times(times: fn(ObjectMeta) -> ObjectMeta) -> Self {
        let inner = Arc::new(InMemory::new());
        let script = Arc::new(Script::default());
        let interrupted = Interrupted {
            inner: inner.clone(),
            script: script.clone(),
            times,
        };
        let one = ObjectStore::new(Arc::new(interrupted));
        let epoch = one.fence(&session(), None).await.unwrap();
        let first = Append::new(epoch, Position::START, ["a"]).summary("a");
        one.append(&session().main(), &first).await.unwrap();
        let other = ObjectStore::new(inner.clone());
        Self {
            inner,
            script,
            one,
            other,
            epoch,
        }
    }

    /// Does other work before the request number `request` of the first host.
    fn interrupt(&self, request: usize, work: impl Future<Output = ()> + Send + 'static) {
        let mut script = self.script.0.lock().unwrap();
        script.extend((0..request).map(|_| None));
        script.push_back(Some(work.boxed()));
    }

    /// Returns whether there was a request with the number at which to interrupt.
    fn was_interrupted(&self) -> bool {
        self.script.0.lock().unwrap().is_empty()
    }

    async fn objects_with(&self, text: &str) -> Vec<Path> {
        let objects: Vec<_> = self.inner.list(None).try_collect().await.unwrap();
        let mut found = Vec::new();
        for ObjectMeta { location, .. } in objects {
            let content = self.inner.get(&location).await.unwrap();
            let content = content.bytes().await.unwrap();
            if String::from_utf8_lossy(&content).contains(text) {
                found.push(location);
            }
        }
        found
    }
}

/// Repeats a scenario, which returns false when its requests end before the given number.
async fn at_each_request(scenario: impl AsyncFn(usize) -> bool) {
    for request in 0..100 {
        if !scenario(request).await {
            assert!(request > 2, "there were only {request} requests");
            return;
        }
    }
    panic!("there is no end of requests");
}

/// Takes over the session and erases it. The marker has a greater number than the next record that the former owner expects.
async fn take_over_and_erase(store: ObjectStore) {
    store.fence(&session(), None).await.unwrap();
    erase(store).await;
}

async fn erase(store: ObjectStore) {
    store.erase(&session().into()).await.unwrap();
}

#[tokio::test]
async fn file_that_is_written_during_an_erasure_leaves_no_content() {
    at_each_request(async |request| {
        let hosts = Hosts::new().await;
        // With and without another owner before.
        match request % 2 {
            0 => hosts.interrupt(request / 2, erase(hosts.other.clone())),
            _ => hosts.interrupt(request / 2, take_over_and_erase(hosts.other.clone())),
        }
        let content = Bytes::from(SECRET);
        let (session, path) = (session(), path());
        let put = hosts.one.put_file(&session, hosts.epoch, &path, content);
        let put = put.await;
        let was_interrupted = hosts.was_interrupted();
        if was_interrupted {
            assert!(put.is_err_and(|error| error.is_fenced()), "{request}");
            assert_eq!(hosts.objects_with(SECRET).await, [], "{request}");
        }
        was_interrupted
    })
    .await;
}

#[tokio::test]
async fn entries_that_are_written_during_an_erasure_leave_no_content() {
    at_each_request(async |request| {
        let hosts = Hosts::new().await;
        // With and without another owner before.
        match request % 2 {
            0 => hosts.interrupt(request / 2, erase(hosts.other.clone())),
            _ => hosts.interrupt(request / 2, take_over_and_erase(hosts.other.clone())),
        }
        let append = Append::new(hosts.epoch, Position::new(1), [SECRET]).summary(SECRET);
        let appended = hosts.one.append(&session().main(), &append).await;
        let was_interrupted = hosts.was_interrupted();
        if was_interrupted {
            assert!(appended.is_err_and(|error| error.is_fenced()), "{request}");
            assert_eq!(hosts.objects_with(SECRET).await, [], "{request}");
        }
        was_interrupted
    })
    .await;
}

#[tokio::test]
async fn append_that_is_dropped_during_an_erasure_is_removed_by_its_repetition() {
    let hosts = Hosts::new().await;
    // Erased before the first request, which creates the record. The second one is never answered.
    hosts.interrupt(0, take_over_and_erase(hosts.other.clone()));
    hosts.interrupt(0, pending());
    let append = Append::new(hosts.epoch, Position::new(1), [SECRET]).summary(SECRET);
    let main = session().main();
    let appended = hosts.one.append(&main, &append).now_or_never();
    assert!(appended.is_none());
    assert!(!hosts.objects_with(SECRET).await.is_empty());
    let repeated = hosts.one.append(&main, &append).await;
    assert!(repeated.is_err_and(|error| error.is_fenced()));
    assert_eq!(hosts.objects_with(SECRET).await, []);
}

/// What a new owner has written.
type Written = Arc<Mutex<Option<(Epoch, Position)>>>;

/// Takes over the session, and appends an entry and a file to what is there.
async fn take_over(store: ObjectStore, written: Written) {
    let work = async {
        let epoch = store.fence(&session(), None).await?;
        let end = store.end(&session().main()).await?;
        let append = Append::new(epoch, end, ["b"]).summary("b");
        store.append(&session().main(), &append).await?;
        let content = Bytes::from("b");
        store.put_file(&session(), epoch, &path(), content).await?;
        *written.lock().unwrap() = Some((epoch, end));
        Ok::<_, StoreError>(())
    };
    work.await.unwrap();
}

/// Asserts that a session is complete for its owner, or that the owner is fenced. Returns whether it is complete.
async fn assert_whole_or_gone(hosts: &Hosts, written: &Written) -> bool {
    let (epoch, position) = written.lock().unwrap().expect("the owner has written");
    let main = session().main();
    let owner = &hosts.other;
    let next = Append::new(epoch, position.after(1), ["c"]);
    if let Err(error) = owner.append(&main, &next).await {
        assert!(error.is_fenced(), "{error}");
        return false;
    }
    for store in [owner, &hosts.one, &ObjectStore::new(hosts.inner.clone())] {
        let entries: Vec<Bytes> = store.load(&main, position).try_collect().await.unwrap();
        assert_eq!(entries, ["b", "c"]);
        let file = store.file(&session(), &path()).await.unwrap();
        assert_eq!(file, Some(Bytes::from("b")));
        let page = store.list(session().project(), &Page::first()).await;
        assert_eq!(page.unwrap().sessions.len(), 1);
    }
    true
}

#[tokio::test]
async fn owner_that_begins_during_an_erasure_keeps_all_or_nothing() {
    at_each_request(async |request| {
        let hosts = Hosts::new().await;
        let written = Written::default();
        hosts.interrupt(request, take_over(hosts.other.clone(), written.clone()));
        hosts.one.erase(&session().into()).await.unwrap();
        if !hosts.was_interrupted() {
            return false;
        }
        assert_whole_or_gone(&hosts, &written).await;
        true
    })
    .await;
}

#[tokio::test]
async fn session_that_is_resumed_during_an_erasure_of_idle_ones_is_kept() {
    at_each_request(async |request| {
        let hosts = Hosts::new().await;
        let written = Written::default();
        hosts.interrupt(request, take_over(hosts.other.clone(), written.clone()));
        let erased = erase_idle(&hosts.one).await.unwrap();
        if !hosts.was_interrupted() {
            assert_eq!(erased, 1);
            return false;
        }
        let is_whole = assert_whole_or_gone(&hosts, &written).await;
        assert!(is_whole, "{request}: a session in use was erased");
        let (_, position) = written.lock().unwrap().unwrap();
        // The new owner has read the old entry, or the session was erased before.
        assert_eq!(erased, u64::from(position == Position::START), "{request}");
        true
    })
    .await;
}

#[tokio::test]
async fn new_owner_alone_keeps_a_session_from_being_idle() {
    at_each_request(async |request| {
        let hosts = Hosts::new().await;
        let other = hosts.other.clone();
        hosts.interrupt(request, async move {
            other.fence(&session(), None).await.unwrap();
        });
        let erased = erase_idle(&hosts.one).await.unwrap();
        let entries = hosts.other.read(&session().main()).await.unwrap();
        // Erased before the new owner came, or not at all.
        assert_eq!(entries.len() as u64, 1 - erased, "{request}");
        if hosts.was_interrupted() && erased == 0 {
            assert_eq!(entries, ["a"], "{request}");
        }
        hosts.was_interrupted()
    })
    .await;
}

#[tokio::test]
async fn session_that_is_written_to_in_the_second_of_the_erasure_is_kept() {
    let hosts = Hosts::with_times(in_whole_seconds).await;
    let next = SessionKey::new("project", "session, the next").unwrap();
    let epoch = hosts.other.fence(&next, None).await.unwrap();
    let append = async |position, entry: &'static str| {
        let entry = Append::new(epoch, Position::new(position), [entry]);
        hosts.other.append(&next.main(), &entry).await.unwrap();
    };
    append(0, "a").await;
    let mut erased = hosts.one.erase_idle(Duration::ZERO, Some(next.project()));
    assert_eq!(erased.try_next().await.unwrap(), Some(session()));
    append(1, "b").await;
    assert_eq!(erased.try_next().await.unwrap(), None);
    assert_eq!(hosts.other.read(&next.main()).await.unwrap(), ["a", "b"]);
}

async fn erase_idle(store: &ObjectStore) -> Result<u64> {
    let project = session().project().clone();
    let erased = store.erase_idle(Duration::ZERO, Some(&project));
    let erased: Vec<_> = erased.try_collect().await?;
    Ok(erased.len() as u64)
}

/// A backend in memory that does other work before its next requests.
#[derive(Debug)]
struct Interrupted {
    inner: Arc<InMemory>,
    script: Arc<Script>,
    /// Changes the time of an object.
    times: fn(ObjectMeta) -> ObjectMeta,
}

/// The work before each request.
#[derive(Default)]
struct Script(Mutex<VecDeque<Option<BoxFuture<'static, ()>>>>);

impl Script {
    async fn request(&self) {
        let work = self.0.lock().unwrap().pop_front();
        if let Some(Some(work)) = work {
            work.await;
        }
    }
}

impl Interrupted {
    /// Delays a stream until the work before its request is done.
    fn later<T: 'static>(
        &self,
        stream: impl FnOnce(&InMemory) -> BoxStream<'static, T> + Send + 'static,
    ) -> BoxStream<'static, T> {
        let (inner, script) = (self.inner.clone(), self.script.clone());
        let stream = async move {
            script.request().await;
            stream(&inner)
        };
        stream::once(stream).flatten().boxed()
    }
}

/// Cuts the time of an object like most backends do, and removes the tag, which some compute from the content alone.
fn in_whole_seconds(mut object: ObjectMeta) -> ObjectMeta {
    object.e_tag = None;
    let part = object.last_modified.timestamp_subsec_nanos();
    object.last_modified -= Duration::from_nanos(part.into());
    object
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[async_trait]
impl Backend for Interrupted {
    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        let prefix = prefix.cloned();
        self.later(move |inner| inner.list(prefix.as_ref()))
            .map_ok(self.times)
            .boxed()
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        let (prefix, offset) = (prefix.cloned(), offset.clone());
        self.later(move |inner| inner.list_with_offset(prefix.as_ref(), &offset))
            .map_ok(self.times)
            .boxed()
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.script.request().await;
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
        self.script.request().await;
        let mut result = self.inner.get_opts(location, options).await?;
        result.meta = (self.times)(result.meta);
        Ok(result)
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> object_store::Result<Vec<Bytes>> {
        self.script.request().await;
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.later(|inner| inner.delete_stream(locations))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.script.request().await;
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
