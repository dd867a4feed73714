//! The macros of `inhouse`; use them through that crate.

mod argument_type;
mod description;
mod function;
mod parameter;
mod problems;
mod server;
mod server_settings;
mod setting;
mod tool_function;
mod tool_settings;

use proc_macro::TokenStream;
use syn::Item;

#[doc = include_str!("tool.md")]
#[proc_macro_attribute]
pub fn tool(settings: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = match syn::parse(item) {
        Ok(Item::Fn(function)) => function::expand(settings.into(), function),
        Ok(Item::Impl(block)) => server::expand(settings.into(), block),
        Ok(other) => syn::Error::new_spanned(
            other,
            "`#[tool]` goes on a function, or on an impl block with methods that are tools",
        )
        .into_compile_error(),
        Err(error) => error.into_compile_error(),
    };
    expanded.into()
}
