use crate::control::EffortLevel;
use crate::open::open_struct;

open_struct! {
    /// How much work the model puts into a turn.
    pub struct HookEffort {
        /// The level.
        pub level: EffortLevel,
    }
}
