//! Calls whose host died: their outcome is determined when the session is resumed.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use inhouse_proto::mcp::CallToolResult;
use serde_json::Value;

use super::{Call, Extract, IntoToolResult, ToolError};

/// A call that had begun when its host died, and whose result is not known.
///
/// See [`Tool::on_interrupted`](super::Tool::on_interrupted).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interrupted {
    /// The id of the call, such as `toolu_01…`: the [`CallId`](super::CallId) that the handler of the call got.
    pub id: String,
    /// The arguments of the call. A handler that takes [`Input`](super::Input) gets them as its own type.
    pub input: Value,
}

impl Interrupted {
    /// Creates a call, for a test of the handler.
    ///
    /// ```
    /// use inhouse::tool::{Interrupted, Repair, ToolError};
    /// use serde_json::json;
    ///
    /// async fn repair(call: Interrupted) -> Result<Repair, ToolError> {
    ///     Ok(match call.input["dry_run"] == true {
    ///         true => Repair::not_run(),
    ///         false => Repair::unknown(),
    ///     })
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let call = Interrupted::new("toolu_1", json!({"dry_run": true}));
    /// assert_eq!(repair(call).await?, Repair::not_run());
    /// # Ok::<(), ToolError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn new(id: impl Into<String>, input: Value) -> Self {
        Self {
            id: id.into(),
            input,
        }
    }
}

/// The result that Claude reads for an [interrupted](Interrupted) call.
///
/// ```
/// use inhouse::tool::Repair;
///
/// assert_eq!(Repair::result("charged").into_result().all_text(), "charged");
/// assert!(Repair::not_run().into_result().is_error);
/// assert!(Repair::unknown().into_result().is_error);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a repair has an effect only if the handler returns it"]
pub struct Repair(CallToolResult);

impl Repair {
    /// The call took effect: Claude reads this result as if the call had returned it.
    ///
    /// ```
    /// use inhouse::tool::Repair;
    ///
    /// let repair = Repair::result("charged 5 dollars");
    /// assert_eq!(repair.into_result().all_text(), "charged 5 dollars");
    /// ```
    pub fn result(result: impl IntoToolResult) -> Self {
        Self(result.into_tool_result())
    }

    /// The call took no effect: Claude reads that it may be repeated.
    ///
    /// ```
    /// use inhouse::tool::Repair;
    ///
    /// let result = Repair::not_run().into_result();
    /// assert!(result.all_text().contains("It can be repeated."));
    /// ```
    pub fn not_run() -> Self {
        Self(CallToolResult::error(
            "The call was interrupted before it took effect. It can be repeated.",
        ))
    }

    /// The outcome is not known: Claude reads that it has to check before it repeats the call.
    ///
    /// ```
    /// use inhouse::tool::Repair;
    ///
    /// let result = Repair::unknown().into_result();
    /// assert!(result.all_text().contains("outcome is unknown"));
    /// ```
    pub fn unknown() -> Self {
        Self(CallToolResult::error(
            "The call was interrupted while it ran, and its outcome is unknown. Check whether it took effect before you \
             repeat it.",
        ))
    }

    /// Returns the result that Claude reads.
    ///
    /// ```
    /// use inhouse::tool::Repair;
    ///
    /// assert!(!Repair::result("charged").into_result().is_error);
    /// assert!(Repair::not_run().into_result().is_error);
    /// ```
    #[must_use]
    pub fn into_result(self) -> CallToolResult {
        self.0
    }
}

/// An async function that determines the outcome of an [interrupted](Interrupted) call.
///
/// Implemented for async functions and closures with up to four parameters that implement [`Extract`], such as
/// [`State`](super::State), then an [`Interrupted`], and a `Result<Repair, ToolError>`: with a fixed error, a closure can use `?` and `Ok` without
/// a type. `Args` is always inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot repair calls of a tool with the state `{S}`",
    note = "it is an async function whose parameters are extractors (`State<T>`, `Input<T>`, …) and, last, `Interrupted`; it returns `Result<Repair, ToolError>`"
)]
pub trait InterruptedHandler<Args, S>: Clone + Send + Sync + 'static {
    /// Runs the function with the parameters extracted from the call.
    fn call(
        self,
        call: &Call<'_, S>,
        interrupted: Interrupted,
    ) -> impl Future<Output = Result<Repair, ToolError>> + Send + 'static;
}

/// The future of an [`AnyInterruptedHandler`].
pub(crate) type Repairing = Pin<Box<dyn Future<Output = Result<Repair, ToolError>> + Send>>;

/// A handler as a trait object.
pub(crate) trait AnyInterruptedHandler<S>: Send + Sync {
    fn call(&self, call: &Call<'_, S>, interrupted: Interrupted) -> Repairing;
}

/// Implements [`AnyInterruptedHandler`] for an [`InterruptedHandler`].
pub(super) struct Erased<H, Args> {
    handler: H,
    args: PhantomData<fn(Args)>,
}

impl<H, Args> Erased<H, Args> {
    pub(super) fn new(handler: H) -> Self {
        Self {
            handler,
            args: PhantomData,
        }
    }
}

impl<H: InterruptedHandler<Args, S>, Args: 'static, S> AnyInterruptedHandler<S>
    for Erased<H, Args>
{
    fn call(&self, call: &Call<'_, S>, interrupted: Interrupted) -> Repairing {
        Box::pin(self.handler.clone().call(call, interrupted))
    }
}

macro_rules! interrupted_handlers {
    ($( ( $( $arg:ident ),* ) )*) => {
        $(
            #[allow(non_snake_case, unused_variables)]
            impl<F, Fut, S, $( $arg ),*> InterruptedHandler<( $( $arg, )* ), S> for F
            where
                F: FnOnce($( $arg, )* Interrupted) -> Fut + Clone + Send + Sync + 'static,
                Fut: Future<Output = Result<Repair, ToolError>> + Send + 'static,
                $( $arg: Extract<S> + Send + 'static, )*
            {
                fn call(
                    self,
                    call: &Call<'_, S>,
                    interrupted: Interrupted,
                ) -> impl Future<Output = Result<Repair, ToolError>> + Send + 'static {
                    // Extracted before the first poll: the future must not borrow the call.
                    let extract = || -> Result<_, ToolError> { Ok(( $( $arg::extract(call)?, )* )) };
                    let extracted = extract();
                    async move {
                        let ( $( $arg, )* ) = extracted?;
                        self($( $arg, )* interrupted).await
                    }
                }
            }
        )*
    };
}

interrupted_handlers! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
}
