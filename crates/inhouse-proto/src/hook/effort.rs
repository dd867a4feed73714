use crate::control::Effort;
use serde::Deserialize;

/// Effort of the model in a turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookEffort {
    /// The effort level of the model.
    pub level: Effort,
}
