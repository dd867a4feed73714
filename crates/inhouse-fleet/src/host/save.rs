use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inhouse::hook::{HookOutput, Matcher, PostToolUse, PostToolUseFailure};
use inhouse::{HandlerError, Options};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::workspace::{PreparedWorkspace, WorkspaceError};

/// How long it may take to prepare or save a workspace.
const LIMIT: Duration = Duration::from_secs(300);

/// Saves the workspace of a turn at the times that matter, and keeps the first error.
#[derive(Clone)]
pub(super) struct Saver {
    workspace: Arc<dyn PreparedWorkspace>,
    failure: Arc<Failure>,
}

#[derive(Default)]
struct Failure {
    error: Mutex<Option<WorkspaceError>>,
    happened: Notify,
}

impl Saver {
    pub(super) fn new(workspace: Box<dyn PreparedWorkspace>) -> Self {
        Self {
            workspace: workspace.into(),
            failure: Arc::default(),
        }
    }

    /// Sets the working directory, and saves before each result, and after each call if the workspace asks for it.
    pub(super) fn add_to(&self, options: Options) -> Options {
        let options = options.cwd(self.workspace.path());
        let saver = self.clone();
        let options = options.before_result(async move || {
            saver.save().await.map_err(|error| {
                let text = error.to_string();
                saver.fail(error);
                HandlerError::new(text)
            })
        });
        if !self.workspace.saves_after_calls() {
            return options;
        }
        let (saver, after_failure) = (self.clone(), self.clone());
        options
            .hook(Matcher::any(), async move |_: PostToolUse, _| {
                saver.save_or_end().await;
                Ok(HookOutput::pass())
            })
            .hook(Matcher::any(), async move |_: PostToolUseFailure, _| {
                after_failure.save_or_end().await;
                Ok(HookOutput::pass())
            })
    }

    pub(super) async fn save(&self) -> Result<(), WorkspaceError> {
        in_time(self.workspace.save()).await
    }

    /// Waits until a save in the middle of the turn has failed.
    pub(super) async fn failed(&self) -> WorkspaceError {
        loop {
            let happened = self.failure.happened.notified();
            if let Some(error) = self.take_error() {
                return error;
            }
            happened.await;
        }
    }

    /// Returns the error of the step before a result, if it failed.
    pub(super) fn take_error(&self) -> Option<WorkspaceError> {
        self.error().take()
    }

    /// Saves; without success it never returns, because a CLI whose hook fails would continue. The attempt kills it.
    async fn save_or_end(&self) {
        if let Err(error) = self.save().await {
            self.fail(error);
            pending::<()>().await;
        }
    }

    fn fail(&self, error: WorkspaceError) {
        self.error().get_or_insert(error);
        self.failure.happened.notify_one();
    }

    fn error(&self) -> MutexGuard<'_, Option<WorkspaceError>> {
        let error = self.failure.error.lock();
        error.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limits the time of a step of a workspace.
pub(super) async fn in_time<T>(
    step: impl Future<Output = Result<T, WorkspaceError>>,
) -> Result<T, WorkspaceError> {
    timeout(LIMIT, step).await.unwrap_or_else(|_| {
        let text = format!("the workspace was not ready within {} s", LIMIT.as_secs());
        Err(WorkspaceError::new(text))
    })
}
