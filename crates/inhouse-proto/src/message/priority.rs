use inhouse_macros::Open;

/// The position at which a prompt joins the queue while a turn runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Priority {
    /// The prompt is handled immediately.
    Now,
    /// The prompt is handled at the next opportunity.
    Next,
    /// The prompt is handled after all other queued prompts.
    Later,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
