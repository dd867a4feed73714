use crate::open::open_enum;

open_enum! {
    /// Where a prompt joins the queue while a turn runs.
    pub enum Priority {
        /// At once.
        Now = "now",
        /// At the next opportunity.
        Next = "next",
        /// After everything else.
        Later = "later",
    }
}
