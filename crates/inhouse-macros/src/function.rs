use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ItemFn};

use crate::problems::Problems;
use crate::tool_function::{Callee, ToolFunction};

/// `#[tool]` on a function: the function as it was, and beside it an empty type of its name with the
/// function that makes the tool.
///
/// A function and a type may have the same name. A module would read the same, but could not see the
/// types of a function that it is declared in.
pub(crate) fn expand(settings: TokenStream, mut function: ItemFn) -> TokenStream {
    let mut problems = Problems::default();
    if let Some(receiver) = function.sig.receiver() {
        problems.at(
            receiver,
            "a method is a tool of the server that its impl block makes: put `#[tool(server = \
             \"…\")]` on the impl block as well",
        );
        // What stands beside a function cannot stand in an impl block.
        return problems.into_errors();
    }
    let tool = ToolFunction::take(settings, &function.attrs, &mut function.sig, &mut problems);
    let ident = &function.sig.ident;
    let state = format_ident!("__ServerState");
    let (bounds, body) = if problems.are_none() {
        let callee = Callee {
            path: ident.to_token_stream(),
            receiver: None,
        };
        let (items, tool_expression) = (tool.items(), tool.tool(&callee));
        let extractors = tool.extractors();
        let bounds = quote!(#( #extractors: ::inhouse::tool::Extract<#state> + ::core::marker::Send + 'static, )*);
        (bounds, quote!(#items #tool_expression))
    } else {
        // It does not run: what is wrong is reported, and nothing that follows from it.
        (TokenStream::new(), quote!(::core::unreachable!()))
    };
    let errors = problems.into_errors();
    let visibility = &function.vis;
    let conditions: Vec<&Attribute> = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect();
    let about = format!("The tool `{ident}`, for a server: `server.tool({ident}::tool())`.");
    quote! {
        #errors
        #function

        #( #conditions )*
        #[doc = #about]
        #[allow(non_camel_case_types)]
        #visibility enum #ident {}

        #( #conditions )*
        impl #ident {
            /// Makes the tool.
            #[must_use]
            #visibility fn tool<#state: 'static>() -> ::inhouse::tool::Tool<#state>
            where
                #bounds
            {
                #body
            }
        }
    }
}
