use inhouse_proto::engine::Frame;
use inhouse_proto::message::Message;

use crate::error::{Error, ErrorKind};
use crate::process::ExitStatus;

/// How a session ended.
pub(crate) struct SessionEnd {
    pub(crate) exit: Option<ExitStatus>,
    /// The last item of the message stream, unless the host or a result explains the end.
    pub(crate) failure: Option<Error>,
    /// The error of every other pending or later call.
    pub(crate) cause: Error,
}

impl SessionEnd {
    /// Replaces the cause by an error of the store. A result that is not stored is in the error, unless another owner has the
    /// session.
    pub(super) fn with_store_failure(self, mut error: Error, result: Option<Frame>) -> Self {
        if error.kind() != ErrorKind::Fenced
            && let Some(Message::Result(result)) = result.map(|frame| frame.decode())
        {
            error = error.with_result(result);
        }
        Self {
            exit: self.exit,
            failure: Some(error.clone()),
            cause: error,
        }
    }
}
