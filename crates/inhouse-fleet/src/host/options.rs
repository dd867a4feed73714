use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse::{HandlerError, Options};

use crate::Work;

/// Makes the options of a work item: any `async |work: &Work| Ok(Options::new())`.
pub trait MakeOptions<'a>: FnOnce(&'a Work) -> Self::Made {
    /// The future that the closure returns.
    type Made: Future<Output = Result<Options, HandlerError>> + Send + 'a;
}

impl<'a, F, M> MakeOptions<'a> for F
where
    F: FnOnce(&'a Work) -> M,
    M: Future<Output = Result<Options, HandlerError>> + Send + 'a,
{
    type Made = M;
}

/// A closure that makes options, without its own type.
pub(super) type OptionsFn = dyn for<'a> Fn(&'a Work) -> OptionsFuture<'a> + Send + Sync;

type OptionsFuture<'a> = Pin<Box<dyn Future<Output = Result<Options, HandlerError>> + Send + 'a>>;

pub(super) fn boxed<F>(make: F) -> Arc<OptionsFn>
where
    F: for<'a> MakeOptions<'a> + Clone + Send + Sync + 'static,
{
    Arc::new(move |work: &Work| -> OptionsFuture<'_> { Box::pin(make.clone()(work)) })
}
