use crate::open::open_struct;

open_struct! {
    /// The reply to a request that is only acknowledged.
    ///
    /// Should a CLI say more than that, it is in [`extra`](Self::extra).
    pub struct Empty {}
}
