use inhouse_macros::Open;

/// Where a prompt joins the queue while a turn runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Priority {
    /// At once.
    Now,
    /// At the next opportunity.
    Next,
    /// After everything else.
    Later,
    /// A value that this version does not know.
    Unknown(String),
}
