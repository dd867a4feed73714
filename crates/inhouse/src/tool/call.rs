use std::sync::Arc;

use super::{Cancelled, Extract, ToolError};
use crate::session::Session;

/// One call of a tool, from which its handler's arguments are taken.
pub struct Call<'a, S> {
    pub(crate) state: &'a S,
    pub(crate) arguments: &'a str,
    pub(crate) context: &'a CallContext<'a>,
}

/// What a call is besides its arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'a> {
    pub(crate) tool_use_id: Option<&'a str>,
    pub(crate) cancelled: &'a Cancelled,
    /// Made only for a handler that takes it.
    pub(crate) progress: &'a (dyn Fn() -> Progress + Sync),
    pub(crate) session: &'a Session,
}

impl<'a, S> Call<'a, S> {
    /// The state of the server.
    #[must_use]
    pub fn state(&self) -> &'a S {
        self.state
    }

    /// The arguments as JSON text.
    #[must_use]
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// The id by which the conversation names the call, if it came from one.
    #[must_use]
    pub fn tool_use_id(&self) -> Option<&'a str> {
        self.context.tool_use_id
    }
}

impl<S> Extract<S> for Session {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(call.context.session.clone())
    }
}

/// The id by which the conversation names a call, such as `toolu_01…`.
///
/// The same as in the messages about the call, and in its hooks and permission questions. Empty when
/// a test makes the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId(
    /// The id.
    pub String,
);

impl<S> Extract<S> for CallId {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(Self(call.tool_use_id().unwrap_or_default().to_owned()))
    }
}

/// Reports how far a call has come.
///
/// The CLI takes note of it and shows nothing yet (2.1.325); it does not extend a timeout. Without
/// a CLI that asked for it the reports go nowhere.
#[derive(Clone)]
pub struct Progress {
    report: Option<Arc<ReportProgress>>,
}

type ReportProgress = dyn Fn(f64, Option<f64>, Option<String>) + Send + Sync;

impl Progress {
    pub(crate) fn new(report: Option<Arc<ReportProgress>>) -> Self {
        Self { report }
    }

    /// Reports that so much is done, and of how much if that is known.
    pub fn report(&self, done: f64, total: impl Into<Option<f64>>) {
        if let Some(report) = &self.report {
            report(done, total.into(), None);
        }
    }

    /// Reports progress with a word about it.
    pub fn message(&self, done: f64, total: impl Into<Option<f64>>, message: impl Into<String>) {
        if let Some(report) = &self.report {
            report(done, total.into(), Some(message.into()));
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let wanted = self.report.is_some();
        f.debug_struct("Progress").field("wanted", &wanted).finish()
    }
}

impl<S> Extract<S> for Progress {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok((call.context.progress)())
    }
}
