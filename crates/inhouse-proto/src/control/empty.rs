use serde::Deserialize;

/// The reply to a request that is only acknowledged.
///
/// Should a CLI say more than that, it is in [`extra`](Self::extra).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Empty {}
