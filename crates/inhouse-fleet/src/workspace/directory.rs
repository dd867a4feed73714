//! File operations in the directory of a session.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::Mutex as AsyncMutex;
use tokio::task::spawn_blocking;

use super::WorkspaceError;

/// The locks of the directories that are in use in this process.
static LOCKS: LazyLock<Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>> =
    LazyLock::new(Mutex::default);

/// A directory whose file operations follow each other.
///
/// An operation runs on a thread that a dropped attempt cannot stop. The next turn of the session waits for its end: otherwise a late operation
/// could remove files of that turn.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    path: Arc<Path>,
    lock: Arc<AsyncMutex<()>>,
}

impl Directory {
    pub(super) fn new(path: PathBuf) -> Self {
        let lock = lock_of(&path);
        Self {
            path: path.into(),
            lock,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs an operation on a thread for blocking calls, after those before it.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Path) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let guard = Arc::clone(&self.lock).lock_owned().await;
        let path = Arc::clone(&self.path);
        let run = spawn_blocking(move || {
            let _guard = guard;
            operation(&path)
        });
        run.await.unwrap_or_else(|error| {
            let text = "the runtime was shut down, or a file operation panicked";
            Err(WorkspaceError::new(text).with_source(error))
        })
    }
}

fn lock_of(path: &Path) -> Arc<AsyncMutex<()>> {
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(lock) = locks.get(path).and_then(Weak::upgrade) {
        return lock;
    }
    locks.retain(|_, lock| lock.strong_count() > 0);
    let lock = Arc::new(AsyncMutex::new(()));
    locks.insert(path.to_owned(), Arc::downgrade(&lock));
    lock
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn operation_of_a_dropped_attempt_ends_before_the_next_one() {
        let path = PathBuf::from("/operations-follow-each-other");
        let (began, has_begun) = tokio::sync::oneshot::channel();
        let (finish, may_finish) = mpsc::channel::<()>();
        let (log, logged) = mpsc::channel();
        let late = log.clone();
        let first = Directory::new(path.clone());
        let mut dropped = Box::pin(first.run(move |_| {
            began.send(()).unwrap();
            may_finish.recv().unwrap();
            late.send("late").unwrap();
            Ok(())
        }));
        assert!(dropped.as_mut().now_or_never().is_none());
        has_begun.await.unwrap();
        drop(dropped);
        drop(first);
        let next = Directory::new(path);
        let mut next = Box::pin(next.run(move |_| {
            log.send("next").unwrap();
            Ok(())
        }));
        assert!(next.as_mut().now_or_never().is_none(), "it has to wait");
        finish.send(()).unwrap();
        next.await.unwrap();
        assert_eq!(logged.try_iter().collect::<Vec<_>>(), ["late", "next"]);
    }
}
