use serde::Deserialize;

/// The reply to a request that the CLI only acknowledges.
///
/// Members that a newer CLI adds to the reply are ignored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Empty {}
