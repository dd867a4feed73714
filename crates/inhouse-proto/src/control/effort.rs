use inhouse_macros::Open;

/// How much work a model puts into a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EffortLevel {
    /// The least.
    Low,
    /// Less than usual.
    Medium,
    /// A lot.
    High,
    /// More than `high`; not every model has it.
    Xhigh,
    /// All that the model can do.
    Max,
    /// A value that this version does not know.
    Unknown(String),
}
