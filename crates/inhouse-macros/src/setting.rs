use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token, parse_quote};

use crate::problems::Problems;

/// One of the words between the parentheses of `#[tool(…)]`, with its value if it has one.
pub(crate) struct Setting {
    pub(crate) name: Ident,
    value: Option<Expr>,
}

impl Setting {
    /// Reads a list of them, and objects to those that are there twice.
    pub(crate) fn list(tokens: TokenStream, problems: &mut Problems) -> Vec<Self> {
        let list = Punctuated::<Self, Token![,]>::parse_terminated.parse2(tokens);
        let settings: Vec<Self> = match list {
            Ok(list) => list.into_iter().collect(),
            Err(problem) => {
                problems.add(problem);
                Vec::new()
            }
        };
        for (at, setting) in settings.iter().enumerate() {
            let name = &setting.name;
            if settings[..at].iter().any(|earlier| earlier.name == *name) {
                problems.at(name, format!("`{name}` is there twice"));
            }
        }
        settings
    }

    /// A word that stands alone.
    pub(crate) fn flag(&self) -> syn::Result<()> {
        let name = &self.name;
        match &self.value {
            Some(value) => Err(syn::Error::new_spanned(
                value,
                format!(
                    "`{name}` has no value: write it to turn it on, and leave it out otherwise"
                ),
            )),
            None => Ok(()),
        }
    }

    /// Returns the value of a boolean setting; the name alone means `true`.
    pub(crate) fn switch(&self) -> Expr {
        self.value.clone().unwrap_or_else(|| parse_quote!(true))
    }

    /// A word with a value.
    pub(crate) fn value(&self, example: &str) -> syn::Result<&Expr> {
        let name = &self.name;
        self.value.as_ref().ok_or_else(|| {
            syn::Error::new_spanned(
                name,
                format!("`{name}` needs a value: `{name} = {example}`"),
            )
        })
    }

    /// A name for the CLI, which makes an underscore of every other character.
    pub(crate) fn plain_name(&self, example: &str) -> syn::Result<LitStr> {
        let value = self.value(example)?;
        match literal(value) {
            Some(Lit::Str(name)) if is_plain(&name.value()) => Ok(name.clone()),
            Some(Lit::Str(name)) => Err(syn::Error::new_spanned(
                name,
                "a name has only the letters a to z in both cases, digits, `_` and `-`",
            )),
            _ => Err(syn::Error::new_spanned(
                value,
                format!("the name is a literal: `{} = {example}`", self.name),
            )),
        }
    }
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { name, value })
    }
}

pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.bytes().all(plain)
}

pub(crate) fn literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}
