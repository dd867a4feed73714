use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// What is wrong with the user's code: all of it at once, each at its place.
#[derive(Default)]
pub(crate) struct Problems {
    found: Option<syn::Error>,
}

impl Problems {
    pub(crate) fn at(&mut self, place: impl ToTokens, text: impl Display) {
        self.add(syn::Error::new_spanned(place, text));
    }

    pub(crate) fn add(&mut self, problem: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(problem),
            None => self.found = Some(problem),
        }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.found.is_none()
    }

    /// Makes the compiler report them; empty when there are none.
    pub(crate) fn into_errors(self) -> TokenStream {
        self.found
            .map_or_else(TokenStream::new, syn::Error::into_compile_error)
    }
}
