use crate::open::open_struct;

open_struct! {
    /// The point where another model took over, because the first refused.
    pub struct FallbackBlock ["type" = "fallback"] {
        /// The model that refused.
        pub from: Option<FallbackModel>,
        /// The model that took over.
        pub to: Option<FallbackModel>,
        /// What made the switch happen.
        pub trigger: Option<FallbackTrigger>,
    }
}

open_struct! {
    /// A model on one side of the switch.
    pub struct FallbackModel {
        /// The model's id.
        pub model: String,
    }
}

open_struct! {
    /// What made a switch of models happen.
    pub struct FallbackTrigger {
        /// The kind: `refusal`.
        pub kind as "type": Option<String>,
        /// What the refusal was about.
        pub category: Option<String>,
    }
}
