use std::future::Future;
use std::pin::Pin;

use inhouse_proto::mcp::CallToolResult;
use schemars::{Schema, SchemaGenerator};

use super::{Call, Extract, IntoToolResult, ToolError};

/// A function that can be a tool.
///
/// Implemented for async functions and closures whose arguments are [`Extract`] and whose result is
/// [`IntoToolResult`]. `Args` tells implementations for different numbers of arguments apart.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a tool with the state `{S}`",
    label = "not a tool",
    note = "a tool is an async function whose arguments are extractors (`Input<T>`, `State<T>`, …) and whose result is text, a number, `Json<T>`, content, or a `Result` of one of these with `ToolError`",
    note = "it is also `Clone + Send + Sync + 'static`, and so is its future without the `Clone`"
)]
pub trait Handler<Args, S>: Clone + Send + Sync + 'static {
    /// Runs it.
    fn call(self, call: &Call<'_, S>) -> impl Future<Output = CallToolResult> + Send + 'static;

    /// The schema of the arguments that the model gives; empty when it gives none. More than one is
    /// an error when the tool is used.
    fn input_schemas(generator: &mut SchemaGenerator) -> Vec<Schema>;

    /// The schema of the structured result; `None` when it has none.
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema>;
}

/// A handler without its type.
pub(crate) trait AnyHandler<S>: Send + Sync {
    fn call(&self, call: &Call<'_, S>) -> Pin<Box<dyn Future<Output = CallToolResult> + Send>>;
}

/// Takes the type from a handler.
pub(crate) struct Erased<H, Args> {
    handler: H,
    args: std::marker::PhantomData<fn(Args)>,
}

impl<H, Args> Erased<H, Args> {
    pub(crate) fn new(handler: H) -> Self {
        Self {
            handler,
            args: std::marker::PhantomData,
        }
    }
}

impl<H: Handler<Args, S>, Args: 'static, S> AnyHandler<S> for Erased<H, Args> {
    fn call(&self, call: &Call<'_, S>) -> Pin<Box<dyn Future<Output = CallToolResult> + Send>> {
        Box::pin(self.handler.clone().call(call))
    }
}

macro_rules! handlers {
    ($( ( $( $arg:ident ),* ) )*) => {
        $(
            #[allow(non_snake_case, unused_variables)]
            impl<F, Fut, R, S, $( $arg ),*> Handler<( $( $arg, )* ), S> for F
            where
                F: FnOnce($( $arg ),*) -> Fut + Clone + Send + Sync + 'static,
                Fut: Future<Output = R> + Send + 'static,
                R: IntoToolResult,
                $( $arg: Extract<S> + Send + 'static, )*
            {
                fn call(
                    self,
                    call: &Call<'_, S>,
                ) -> impl Future<Output = CallToolResult> + Send + 'static {
                    // Taken before the first poll, while the call can still be looked at.
                    let take = || -> Result<_, ToolError> { Ok(( $( $arg::extract(call)?, )* )) };
                    let taken = take();
                    async move {
                        match taken {
                            Ok(( $( $arg, )* )) => self($( $arg ),*).await.into_tool_result(),
                            Err(error) => error.into_result(),
                        }
                    }
                }

                fn input_schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
                    let schemas: Vec<Option<Schema>> = vec![$( $arg::schema(generator) ),*];
                    schemas.into_iter().flatten().collect()
                }

                fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
                    R::output_schema(generator)
                }
            }
        )*
    };
}

handlers! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, G)
    (A, B, C, D, E, G, H)
    (A, B, C, D, E, G, H, I)
}
