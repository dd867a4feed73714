use inhouse_macros::Open;

/// The effort level of a model: how much reasoning it puts into a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effort {
    /// The lowest effort level, `low`.
    Low,
    /// The level `medium`: less effort than usual.
    Medium,
    /// The level `high`: a lot of effort.
    High,
    /// The level `xhigh`: more effort than `high`. Not every model supports it.
    Xhigh,
    /// The level `max`: the highest effort that the model supports.
    Max,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}
