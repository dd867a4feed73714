//! The journal of tool calls, for stores that have one.
//!
//! A transcript records a call only after the tool has begun, and its result only after it was sent (2.1.325). So a host that
//! dies in between leaves a transcript that does not know what the tool did. The journal closes this gap for tools in this
//! process that are not read-only: a call is recorded before the tool runs, and its result before it is sent. When the session
//! is resumed, the transcript gets the calls and the results that it lacks.
//!
//! | file | what it holds |
//! |---|---|
//! | `record` | recording calls while a session runs |
//! | `repair` | adding calls and results to the transcript of a resumed session |

mod record;
mod repair;

pub(crate) use self::record::{CallJournal, RecordedCall};
pub(crate) use self::repair::InterruptedCalls;
