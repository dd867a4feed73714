use crate::open::open_enum;

open_enum! {
    /// How much work a model puts into a turn.
    pub enum EffortLevel {
        /// The least.
        Low = "low",
        /// Less than usual.
        Medium = "medium",
        /// A lot.
        High = "high",
        /// More than `high`; not every model has it.
        Xhigh = "xhigh",
        /// All that the model can do.
        Max = "max",
    }
}
