use crate::wire::sample_of;
use inhouse_macros::Open;
use serde::Serialize;

/// A place in the stream where the SDK omitted one or more lines.
///
/// The SDK creates this message; the CLI never sends it. It reports a loss at the place where it happened, so that a
/// loss does not end the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename = "inhouse_gap")]
#[non_exhaustive]
pub struct Gap {
    /// Reason why the lines were omitted.
    pub reason: GapReason,
    /// Number of omitted lines.
    pub lines: u64,
    /// Size of the omitted lines in bytes.
    pub bytes: u64,
    /// The start of an omitted line, if it helps to identify the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}

impl Gap {
    /// Creates a gap with the given number of lines and bytes, without a sample.
    #[must_use]
    pub fn new(reason: GapReason, lines: u64, bytes: u64) -> Self {
        Self {
            reason,
            lines,
            bytes,
            sample: None,
        }
    }

    /// Sets the start of an omitted line as the sample.
    #[must_use]
    pub fn sample(mut self, sample: impl Into<String>) -> Self {
        self.sample = Some(sample.into());
        self
    }

    /// Creates a gap for one line that is not JSON, with the start of the line as the sample.
    #[must_use]
    pub fn not_json(line: &[u8]) -> Self {
        Self::new(GapReason::NotJson, 1, line.len() as u64).sample(sample_of(line))
    }
}

/// Reason why the SDK omitted lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GapReason {
    /// The consumer was too slow, and the buffer for waiting messages was full.
    BacklogFull,
    /// A line was longer than allowed.
    LineTooLong,
    /// A line was not JSON.
    NotJson,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
