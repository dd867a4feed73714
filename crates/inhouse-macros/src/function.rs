use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ItemFn};

use crate::errors::Errors;
use crate::tool_function::{Callee, ToolFunction};

/// Expands `#[tool]` on a function to the unchanged function and an empty type of the same name,
/// whose associated function creates the tool.
///
/// A function and a type may share a name. A module would be called the same way, but cannot see the
/// local types of a function body that it is declared in.
pub(crate) fn expand(settings: TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    if let Some(receiver) = function.sig.receiver() {
        errors.at(
            receiver,
            "a method can only be a tool of a server: put `#[tool(server = \"…\")]` on the impl \
             block as well",
        );
        // The type cannot be declared in an impl block.
        return errors.into_compile_errors();
    }
    let tool = ToolFunction::take(settings, &function.attrs, &mut function.sig, &mut errors);
    let ident = &function.sig.ident;
    let state = format_ident!("__ServerState");
    let (bounds, body) = if errors.is_empty() {
        let callee = Callee {
            path: ident.to_token_stream(),
            receiver: None,
        };
        let (items, tool_expression) = (tool.items(), tool.tool(&callee));
        let extractors = tool.extractors();
        let bounds = quote!(#( #extractors: ::inhouse::tool::Extract<#state> + ::core::marker::Send + 'static, )*);
        (bounds, quote!(#items #tool_expression))
    } else {
        // Keeps the type, so that its users cause no further errors.
        (TokenStream::new(), quote!(::core::unreachable!()))
    };
    let errors = errors.into_compile_errors();
    let visibility = &function.vis;
    let conditions: Vec<&Attribute> = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect();
    let doc = format!("The tool `{ident}`; add it with `server.tool({ident}::tool())`.");
    quote! {
        #errors
        #function

        #( #conditions )*
        #[doc = #doc]
        #[allow(non_camel_case_types)]
        #visibility enum #ident {}

        #( #conditions )*
        impl #ident {
            /// Creates the tool, to be added to a server.
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
