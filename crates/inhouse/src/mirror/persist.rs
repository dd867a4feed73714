use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use inhouse_store::{EntryStream, Position, SessionStore, StoreError, StoreErrorKind, StreamKey};
use tokio::time::{Instant, sleep, timeout};

use crate::user_code::catch_panic;

/// How long a store may fail before the session ends.
const GIVE_UP: Duration = Duration::from_secs(60);

/// How long one call to the store may take. A call that takes longer is repeated, which changes nothing if it took effect.
const CALL: Duration = Duration::from_secs(20);

/// The pause before the first repetition. It doubles each time, up to [`LONGEST_PAUSE`].
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause before a repetition.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A call to a store, as `#[async_trait]` returns it.
pub(crate) type StoreCall<'a, T> =
    Pin<Box<dyn Future<Output = inhouse_store::Result<T>> + Send + 'a>>;

/// Repeats a call until it succeeds, fails for good, or [`GIVE_UP`] has passed.
///
/// A lease of another owner, which is usually renewed, is not waited for.
pub(crate) async fn persist<'a, T>(
    call: impl Fn() -> StoreCall<'a, T>,
) -> inhouse_store::Result<T> {
    let give_up = Instant::now() + GIVE_UP;
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match timeout(CALL, caught(&call)).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) if !error.is_retryable() || error.kind() == StoreErrorKind::Held => {
                return Err(error);
            }
            Ok(Err(error)) => error,
            Err(_) => no_answer(),
        };
        if Instant::now() + pause > give_up {
            return Err(error);
        }
        tracing::warn!(%error, "session store failed, trying again");
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Makes a call; a panic of the store is an error, because what is unsent must not be lost with its task.
pub(crate) async fn caught<'a, T>(
    call: impl FnOnce() -> StoreCall<'a, T>,
) -> inhouse_store::Result<T> {
    catch_panic(async { call().await })
        .await
        .unwrap_or_else(|text| {
            tracing::trace!(text, "panic payload");
            let text = "the session store panicked";
            Err(StoreError::new(StoreErrorKind::Unavailable, text))
        })
}

/// Returns the error of a call that took too long.
fn no_answer() -> StoreError {
    let text = format!("no answer within {} s", CALL.as_secs());
    StoreError::new(StoreErrorKind::Unavailable, text)
}

/// Returns the entries of a stream from a position on: at most `count`, and none after those with `size` bytes; none at the end.
///
/// They are read with one call, which is repeated after an error. No stream of the store is open afterwards: it may hold a connection.
pub(crate) async fn read_entries(
    store: &(impl SessionStore + ?Sized),
    stream: &StreamKey,
    from: Position,
    count: usize,
    size: usize,
) -> inhouse_store::Result<Vec<Bytes>> {
    persist(|| {
        Box::pin(async move {
            let mut entries = Vec::new();
            let mut read = 0;
            let mut load = store.load(stream, from);
            while read < size
                && entries.len() < count
                && let Some(entry) = poll_fn(|cx| load.as_mut().poll_next(cx)).await
            {
                let entry = entry?;
                read += entry.len();
                entries.push(entry);
            }
            Ok(entries)
        })
    })
    .await
}

/// Returns the next entry of a stream that is loaded.
pub(crate) async fn next_entry(entries: &mut EntryStream) -> inhouse_store::Result<Option<Bytes>> {
    let next = timeout(CALL, poll_fn(|cx| entries.as_mut().poll_next(cx)));
    next.await.map_err(|_| no_answer())?.transpose()
}
