//! The attribute macro `#[tool]` of the crate `inhouse`, and `#[derive(Open)]` for the types of
//! `inhouse-proto`.
//!
//! Not for direct use: depend on `inhouse`, which re-exports `#[tool]`. The code that it
//! generates refers to `::inhouse` and works only with the version of `inhouse` that re-exports it.

mod doc_comment;
mod errors;
mod function;
mod open;
mod parameter;
mod server;
mod settings;
mod tool_function;

use proc_macro::TokenStream;
use syn::{DeriveInput, Item, parse_macro_input};

#[doc = include_str!("tool.md")]
#[proc_macro_attribute]
pub fn tool(settings: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = match syn::parse(item) {
        Ok(Item::Fn(function)) => function::expand(settings.into(), function),
        Ok(Item::Impl(block)) => server::expand(settings.into(), block),
        Ok(other) => syn::Error::new_spanned(
            other,
            "`#[tool]` is for functions, and for impl blocks whose methods are tools",
        )
        .into_compile_error(),
        Err(error) => error.into_compile_error(),
    };
    expanded.into()
}

/// Implements `serde::Deserialize` for a type that a newer CLI may extend.
///
/// | on | decodes | an unknown value |
/// |---|---|---|
/// | a struct | an object; an `Option` of the wrong shape becomes `None` | further members are ignored |
/// | an enum of unit variants and `Unknown(String)` | a string | is kept in `Unknown` |
/// | an enum with `#[serde(tag = "…")]` and `Unknown(Unknown)` | an object, by the string in its tag | is kept in `Unknown` |
///
/// Names on the wire come from `#[serde(rename_all = "…")]` and `#[serde(rename = "…")]`, so that the same attributes
/// serve `derive(Serialize)`. Enums also get `as_str` or `tag`, and the conversions that belong to them.
///
/// For the types of `inhouse-proto` only: the generated code uses its functions.
#[doc(hidden)]
#[proc_macro_derive(Open, attributes(serde))]
pub fn open(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    open::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
