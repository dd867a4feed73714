use std::{error::Error, fmt, time::Duration};

use super::ModelRequest;

/// What a test waited for did not come before its deadline.
///
/// The message lists what the model did get, since that is the next thing one wants to know.
#[derive(Debug)]
pub struct NothingCame {
    awaited: &'static str,
    within: Duration,
    seen: Vec<String>,
}

impl NothingCame {
    pub(super) fn new(awaited: &'static str, within: Duration, seen: &[ModelRequest]) -> Self {
        let seen = seen
            .iter()
            .map(|request| format!("{} {} ({:?})", request.method, request.path, request.kind))
            .collect();
        Self {
            awaited,
            within,
            seen,
        }
    }
}

impl fmt::Display for NothingCame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} came within {:?}; ", self.awaited, self.within)?;
        if self.seen.is_empty() {
            return f.write_str("the model got no request at all");
        }
        write!(f, "the model got: {}", self.seen.join(", "))
    }
}

impl Error for NothingCame {}
