//! Calls that are dropped at each of their awaits.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use inhouse_store::{
    Append, Bytes, FilePath, Page, Position, ProjectKey, Result, SessionStore, StoreErrorKind,
    StreamKey,
};

use super::{Battery, Hosts, append, erase_idle, kind, session, written};

/// The greatest number of awaits of one call.
pub(super) const MAX_AWAITS: usize = 500;

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    contracts!(battery, hosts:
        cancelled_append_happens_completely_or_not_at_all,
        cancelled_fence_is_repeated,
        cancelled_put_file_is_repeated,
        cancelled_load_leaves_the_store_usable,
        cancelled_reads_leave_the_store_usable,
        cancelled_erasure_is_completed_by_the_next_call,
        cancelled_erasure_of_idle_sessions_is_completed_by_the_next_call,
    );
}

async fn cancelled_append_happens_completely_or_not_at_all(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &[]).await?;
    let main = session.main();
    let mut end = Position::START;
    for awaits in 0..MAX_AWAITS {
        let entries = (0..3).map(|number| Bytes::from(format!("{awaits}.{number}")));
        let append = Append::new(epoch, end, entries);
        let outcome = cancelled_after(awaits, store.append(&main, &append)).await;
        // A call that was dropped may still take effect later; the repetition has the same effect.
        assert_eq!(store.append(&main, &append).await?, append.end());
        end = append.end();
        assert_eq!(tail(store, &main, append.position).await?, append.entries);
        if outcome.transpose()?.is_some() {
            assert_eq!(store.read(&main).await?.len() as u64, end.get());
            return Ok(());
        }
    }
    panic!("the append did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_fence_is_repeated(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let session = session(&project, "s");
    for awaits in 0..MAX_AWAITS {
        let outcome = cancelled_after(awaits, store.fence(&session, None)).await;
        let epoch = store.fence(&session, None).await?;
        // Also if the call that was dropped takes effect only now.
        append(store, &session.main(), epoch, awaits as u64, &["a"]).await?;
        assert_eq!(store.fence(&session, Some(epoch)).await?, epoch);
        let known = cancelled_after(awaits, store.fence(&session, Some(epoch))).await;
        append(store, &session.main(), epoch, awaits as u64, &["a"]).await?;
        if outcome.transpose()?.is_some() && known.transpose()?.is_some() {
            return Ok(());
        }
    }
    panic!("the fence did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_put_file_is_repeated(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    let path = FilePath::new("tool-results/a.txt")?;
    for awaits in 0..MAX_AWAITS {
        let content = Bytes::from(awaits.to_string());
        let put = store.put_file(&session, epoch, &path, content.clone());
        let outcome = cancelled_after(awaits, put).await;
        store
            .put_file(&session, epoch, &path, content.clone())
            .await?;
        assert!(store.file(&session, &path).await?.is_some());
        if outcome.transpose()?.is_some() {
            assert_eq!(store.file(&session, &path).await?, Some(content));
            return Ok(());
        }
    }
    panic!("the write did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_load_leaves_the_store_usable(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, _) = written(store, &project, "s", &["a", "b", "c"]).await?;
    for awaits in 0..MAX_AWAITS {
        let outcome = cancelled_after(awaits, store.read(&session.main())).await;
        if let Some(entries) = outcome.transpose()? {
            assert_eq!(entries, ["a", "b", "c"]);
            return Ok(());
        }
        assert_eq!(store.end(&session.main()).await?, Position::new(3));
    }
    panic!("the load did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_reads_leave_the_store_usable(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let (session, epoch) = written(store, &project, "s", &["a"]).await?;
    append(store, &session.stream("sub")?, epoch, 0, &["x"]).await?;
    let path = FilePath::new("tool-results/a.txt")?;
    let content = Bytes::from("x");
    store.put_file(&session, epoch, &path, content).await?;
    for awaits in 0..MAX_AWAITS {
        let main = session.main();
        let ended = [
            has_ended(awaits, store.end(&main)).await?,
            has_ended(awaits, store.subpaths(&session)).await?,
            has_ended(awaits, store.list(&project, &Page::first())).await?,
            has_ended(awaits, store.file(&session, &path)).await?,
            has_ended(awaits, store.files(&session)).await?,
        ];
        assert_eq!(store.end(&main).await?, Position::new(1));
        assert_eq!(store.subpaths(&session).await?.len(), 1);
        assert_eq!(store.files(&session).await?.len(), 1);
        if ended == [true; 5] {
            return Ok(());
        }
    }
    panic!("the reads did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_erasure_is_completed_by_the_next_call(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    let path = FilePath::new("tool-results/a.txt")?;
    for awaits in 0..MAX_AWAITS {
        let (session, epoch) = written(store, &project, "s", &["a"]).await?;
        let sub = session.stream("sub")?;
        let append = Append::new(epoch, Position::START, ["x"]);
        store.append(&sub, &append).await?;
        let content = Bytes::from("x");
        store.put_file(&session, epoch, &path, content).await?;

        let erase = sub.clone().into();
        let subpath_outcome = cancelled_after(awaits, store.erase(&erase)).await;
        hosts.second.erase(&erase).await?;
        assert_eq!(store.read(&sub).await?.len(), 0);
        assert_eq!(store.read(&session.main()).await?, ["a"]);

        let erase = session.clone().into();
        let outcome = cancelled_after(awaits, store.erase(&erase)).await;
        hosts.second.erase(&erase).await?;
        assert_eq!(store.read(&session.main()).await?.len(), 0);
        assert_eq!(store.file(&session, &path).await?, None);
        let late = Append::new(epoch, Position::new(1), ["b"]);
        let late = store.append(&session.main(), &late).await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
        if outcome.transpose()?.is_some() && subpath_outcome.transpose()?.is_some() {
            return Ok(());
        }
    }
    panic!("the erasure did not end after {MAX_AWAITS} awaits");
}

async fn cancelled_erasure_of_idle_sessions_is_completed_by_the_next_call(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let store = &*hosts.first;
    for awaits in 0..MAX_AWAITS {
        let (one, epoch) = written(store, &project, "one", &["a"]).await?;
        let (two, _) = written(store, &project, "two", &["a"]).await?;
        let erase = erase_idle(store, Duration::ZERO, &project);
        let outcome = cancelled_after(awaits, erase).await.transpose()?;
        let rest = erase_idle(&*hosts.second, Duration::ZERO, &project).await?;
        for session in [&one, &two] {
            assert_eq!(store.read(&session.main()).await?.len(), 0);
        }
        let late = append(store, &one.main(), epoch, 1, &["b"]).await;
        assert_eq!(kind(late), StoreErrorKind::Fenced);
        if let Some(erased) = outcome {
            assert_eq!((erased, rest), (vec![one, two], Vec::new()));
            return Ok(());
        }
    }
    panic!("the erasure did not end after {MAX_AWAITS} awaits");
}

/// Drops a call after this many awaits; returns whether it ended before.
pub(super) async fn has_ended<T>(
    awaits: usize,
    call: impl Future<Output = Result<T>>,
) -> Result<bool> {
    Ok(cancelled_after(awaits, call).await.transpose()?.is_some())
}

async fn tail(store: &dyn SessionStore, stream: &StreamKey, from: Position) -> Result<Vec<Bytes>> {
    store.load(stream, from).try_collect().await
}

/// Drops a future when it is pending for the time `awaits + 1`; returns its output if it ends before.
pub(super) async fn cancelled_after<F: Future>(awaits: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = awaits;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
