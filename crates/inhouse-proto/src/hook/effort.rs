use crate::control::EffortLevel;
use serde::Deserialize;

/// How much work the model puts into a turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookEffort {
    /// The level.
    pub level: EffortLevel,
}
