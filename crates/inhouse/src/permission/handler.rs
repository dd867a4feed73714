use std::future::Future;

use super::{Decision, PermissionRequest, Policy};
use crate::error::HandlerError;

/// Somebody who decides about tool calls.
///
/// Implemented for async functions and closures from a [`PermissionRequest`] to a [`Decision`],
/// which decide about everything that is asked, and for [`Policy`], which is asked less.
#[diagnostic::on_unimplemented(
    message = "this cannot decide about tool calls",
    label = "not a permission handler",
    note = "a permission handler is an async function or closure `async |request: PermissionRequest|` whose result is `Result<Decision, HandlerError>`, or a `Policy`",
    note = "it is also `Clone + Send + Sync + 'static`, and so is its future without the `Clone`"
)]
pub trait PermissionHandler {
    /// The same as a policy.
    fn into_policy(self) -> Policy;
}

impl<H, F> PermissionHandler for H
where
    H: FnOnce(PermissionRequest) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Decision, HandlerError>> + Send + 'static,
{
    fn into_policy(self) -> Policy {
        Policy::asking(self)
    }
}

impl PermissionHandler for Policy {
    fn into_policy(self) -> Policy {
        self
    }
}
