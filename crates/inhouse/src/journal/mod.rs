//! The journal of tool calls, for stores that have one.
//!
//! A transcript records a call only after the tool has begun, and its result only after it was sent (2.1.325). So a host that
//! dies in between leaves a transcript that does not know what the tool did. The journal closes this gap for tools in this
//! process that are not read-only: a call is recorded before the tool runs, and its result before it is sent. When the session
//! is resumed, the transcript gets the calls and the results that it lacks.
//!
//! Tools outside of this process do not wait for the journal. Their calls are recorded from the messages of the CLI, so that
//! the model reads of a call that was cut off before the transcript had it.
//!
//! | file | what it holds |
//! |---|---|
//! | `record` | recording calls while a session runs |
//! | `unstored` | messages of the conversation that the transcript may lack when a call begins |
//! | `observe` | recording calls of tools outside of this process |
//! | `repair` | adding calls and results to the transcript of a resumed session |

mod observe;
mod record;
mod repair;
mod unstored;

pub(crate) use self::record::{CallJournal, RecordedCall};
pub(crate) use self::repair::InterruptedCalls;
