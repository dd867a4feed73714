use crate::control::EffortLevel;
use serde::Deserialize;

/// Effort of the model in a turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookEffort {
    /// The effort level of the model.
    pub level: EffortLevel,
}
