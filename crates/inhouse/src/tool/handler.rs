use std::future::Future;
use std::pin::Pin;

use inhouse_proto::mcp::CallToolResult;
use schemars::{Schema, SchemaGenerator};

use super::{Call, Extract, IntoToolResult, ToolError};

/// An async function that can be a tool.
///
/// Implemented for async functions and closures with up to eight parameters that implement
/// [`Extract`] and a result that implements [`IntoToolResult`]. `Args` is the tuple of the parameter
/// types and is always inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a tool with the state `{S}`",
    label = "not a tool",
    note = "a tool is an async function whose parameters are extractors (`Input<T>`, `State<T>`, …) and whose result is text, a number, `Json<T>`, content, or a `Result` of one of these with `ToolError`",
    note = "the function must be `Clone + Send + Sync + 'static`, and its future `Send + 'static`"
)]
pub trait Handler<Args, S>: Clone + Send + Sync + 'static {
    /// Runs the function with the parameters extracted from the call.
    fn call(self, call: &Call<'_, S>) -> impl Future<Output = CallToolResult> + Send + 'static;

    /// Returns the schemas of the parameters that consist of arguments; empty if there are none.
    /// More than one is a configuration error of the tool.
    fn input_schemas(generator: &mut SchemaGenerator) -> Vec<Schema>;

    /// Returns the schema of the structured result; `None` if the result is not structured.
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema>;
}

/// A handler as a trait object.
pub(crate) trait AnyHandler<S>: Send + Sync {
    fn call(&self, call: &Call<'_, S>) -> Pin<Box<dyn Future<Output = CallToolResult> + Send>>;
}

/// Implements [`AnyHandler`] for a [`Handler`].
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
                    // Extracted before the first poll: the future must not borrow the call.
                    let extract = || -> Result<_, ToolError> { Ok(( $( $arg::extract(call)?, )* )) };
                    let extracted = extract();
                    async move {
                        match extracted {
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
