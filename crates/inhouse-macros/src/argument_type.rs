use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Type;

use crate::problems::Problems;

/// Objects to types that cannot be made from what the model sends.
pub(crate) fn check_argument(ty: &Type, problems: &mut Problems) {
    match borrowed_or_unnamed(ty.to_token_stream()) {
        Some(Objection::Borrowed(place, owned)) => problems.add(syn::Error::new(
            place,
            format!("an argument of a tool is owned, there is nobody to borrow it from: {owned}"),
        )),
        Some(Objection::Unnamed(place)) => {
            problems.add(syn::Error::new(
                place,
                "an argument of a tool needs a type with a name",
            ));
        }
        None => {}
    }
}

/// Objects to types that cannot be extractors.
pub(crate) fn check_extractor(ty: &Type, problems: &mut Problems) {
    match borrowed_or_unnamed(ty.to_token_stream()) {
        Some(Objection::Borrowed(place, _)) => {
            problems.add(syn::Error::new(
                place,
                "an extractor is taken by value: remove the `&`",
            ));
        }
        Some(Objection::Unnamed(place)) => {
            problems.add(syn::Error::new(
                place,
                "an extractor needs a type with a name",
            ));
        }
        None => {}
    }
}

enum Objection {
    /// With what to use instead.
    Borrowed(Span, &'static str),
    Unnamed(Span),
}

/// Finds the first `&` or `impl` of a type, however deep.
fn borrowed_or_unnamed(tokens: TokenStream) -> Option<Objection> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Punct(sign) if sign.as_char() == '&' => {
                Some(Objection::Borrowed(sign.span(), owned_form(tokens.clone())))
            }
            TokenTree::Ident(word) if word == "impl" => Some(Objection::Unnamed(word.span())),
            TokenTree::Group(group) => borrowed_or_unnamed(group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What to write instead of a reference to what these tokens say.
fn owned_form(referent: impl Iterator<Item = TokenTree>) -> &'static str {
    // A lifetime is a quote and a word.
    let mut after_quote = false;
    for token in referent {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '\'' => after_quote = true,
            TokenTree::Ident(_) if after_quote => after_quote = false,
            TokenTree::Ident(word) if word == "mut" => {}
            TokenTree::Ident(word) if word == "str" => return "use `String`",
            TokenTree::Ident(word) if word == "Path" => return "use `PathBuf`",
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Bracket => {
                return "use `Vec`";
            }
            _ => break,
        }
    }
    "remove the `&`"
}
