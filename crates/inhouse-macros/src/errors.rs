use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects errors in the user's code, so that the compiler reports all of them at once.
#[derive(Default)]
pub(crate) struct Errors {
    combined: Option<syn::Error>,
}

impl Errors {
    /// Adds an error at the tokens that caused it.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.combined {
            Some(combined) => combined.combine(error),
            None => self.combined = Some(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.combined.is_none()
    }

    /// Returns `compile_error!` invocations; empty if there are no errors.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.combined
            .map_or_else(TokenStream::new, syn::Error::into_compile_error)
    }
}
