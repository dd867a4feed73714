use crate::wire::sample_of;
use inhouse_macros::Open;
use serde::Serialize;

/// A place where the SDK left something out.
///
/// The one message that never comes from the CLI: the SDK makes it, so that a loss is seen where
/// it happened and does not end the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type", rename = "inhouse_gap")]
#[non_exhaustive]
pub struct Gap {
    /// Why something is missing.
    pub reason: GapReason,
    /// How many lines are missing.
    pub lines: u64,
    /// How many bytes they had.
    pub bytes: u64,
    /// The start of a skipped line, where that helps to understand it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}

impl Gap {
    /// A gap of so many lines and bytes.
    #[must_use]
    pub fn new(reason: GapReason, lines: u64, bytes: u64) -> Self {
        Self {
            reason,
            lines,
            bytes,
            sample: None,
        }
    }

    /// Shows the start of a skipped line.
    #[must_use]
    pub fn sample(mut self, sample: impl Into<String>) -> Self {
        self.sample = Some(sample.into());
        self
    }

    /// One line that is not JSON, with its start as a sample.
    #[must_use]
    pub fn not_json(line: &[u8]) -> Self {
        Self::new(GapReason::NotJson, 1, line.len() as u64).sample(sample_of(line))
    }
}

/// Why the SDK left something out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GapReason {
    /// The reader was too slow, and the memory set aside for waiting messages was full.
    BacklogFull,
    /// A line was longer than allowed.
    LineTooLong,
    /// A line was not JSON.
    NotJson,
    /// A value that this version does not know.
    Unknown(String),
}
