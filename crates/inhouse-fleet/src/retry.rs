//! Repeating calls to a store.

use std::future::Future;
use std::time::Duration;

use inhouse_store::{StoreError, StoreErrorKind};
use tokio::time::{Instant, sleep, timeout};

/// How long a store may fail before a turn ends.
const GIVE_UP: Duration = Duration::from_secs(60);

/// How long one call to a store may take, apart from the content of a file.
const CALL: Duration = Duration::from_secs(20);

/// The bytes of a content that the slowest connection still transfers in a second.
const BYTES_PER_SECOND: u64 = 1 << 20;

/// The pause before the first repetition, which doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause before a repetition.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Repeats a call until it succeeds, fails for good, or a minute has passed.
pub(crate) async fn persist<T, F: Future<Output = inhouse_store::Result<T>>>(
    call: impl Fn() -> F,
) -> inhouse_store::Result<T> {
    persist_content(0, call).await
}

/// Repeats a call that transfers a content of so many bytes, as [`persist`] does.
pub(crate) async fn persist_content<T, F: Future<Output = inhouse_store::Result<T>>>(
    bytes: u64,
    call: impl Fn() -> F,
) -> inhouse_store::Result<T> {
    let give_up = Instant::now() + GIVE_UP;
    let limit = CALL + Duration::from_secs(bytes / BYTES_PER_SECOND);
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match timeout(limit, call()).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) if !error.is_retryable() => return Err(error),
            Ok(Err(error)) => error,
            Err(_) => {
                let text = format!("no answer within {} s", limit.as_secs());
                StoreError::new(StoreErrorKind::Unavailable, text)
            }
        };
        if Instant::now() + pause > give_up {
            return Err(error);
        }
        tracing::warn!(%error, "store failed, trying again");
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
