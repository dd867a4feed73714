use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Lit, LitStr, Meta, Pat, PatIdent, PatType, Type};

use crate::doc_comment;
use crate::errors::Errors;
use crate::settings::literal;

/// A parameter of a function that becomes a tool.
pub(crate) enum Parameter {
    /// A named parameter: an argument that Claude passes.
    Argument(Box<Argument>),
    /// A pattern, or a parameter marked with `#[extract]`.
    Extractor(Box<Type>),
}

pub(crate) struct Argument {
    ident: Ident,
    pub(crate) ty: Box<Type>,
    rename: Option<LitStr>,
    default: Option<DefaultValue>,
    description: Option<String>,
    /// Attributes of serde and schemars, copied to the field.
    copied: Vec<Attribute>,
}

enum DefaultValue {
    OfType,
    Expr(Expr),
}

impl Parameter {
    /// Parses a parameter, and removes the attributes that only this macro knows.
    pub(crate) fn take(parameter: &mut PatType, errors: &mut Errors) -> Self {
        let ours: Vec<Attribute> = parameter
            .attrs
            .extract_if(.., |attribute| is_ours(attribute))
            .collect();
        for attribute in parameter
            .attrs
            .extract_if(.., |attribute| is_condition(attribute))
        {
            errors.at(
                attribute,
                "parameters of a tool cannot have `#[cfg]`: write one function per configuration",
            );
        }
        let ty = parameter.ty.clone();
        let marked = ours
            .iter()
            .find(|attribute| attribute.path().is_ident("extract"));
        match (name_of(&parameter.pat), marked) {
            (Some(ident), None) => {
                Self::Argument(Box::new(Argument::parse(ident.clone(), ty, ours, errors)))
            }
            (name, marked) => {
                if let (None, Some(marked)) = (name, marked) {
                    errors.at(
                        marked,
                        "a parameter with a pattern is always an extractor: remove `#[extract]`",
                    );
                }
                for attribute in ours {
                    if !attribute.path().is_ident("extract") {
                        errors.at(
                            attribute,
                            "this attribute is for arguments, and this parameter is an extractor; \
                             an argument has a name instead of a pattern",
                        );
                    }
                }
                check_extractor(&ty, errors);
                Self::Extractor(ty)
            }
        }
    }
}

impl Argument {
    fn parse(ident: Ident, ty: Box<Type>, attributes: Vec<Attribute>, errors: &mut Errors) -> Self {
        check_argument(&ty, errors);
        let description = doc_comment::parse(&attributes).unwrap_or_else(|error| {
            errors.add(error);
            None
        });
        let mut argument = Self {
            ident,
            ty,
            rename: None,
            default: None,
            description,
            copied: Vec::new(),
        };
        for attribute in attributes {
            if let Err(error) = argument.apply(attribute) {
                errors.add(error);
            }
        }
        argument
    }

    fn apply(&mut self, attribute: Attribute) -> syn::Result<()> {
        let path = attribute.path();
        if path.is_ident("default") {
            let default = default_value(&attribute.meta)?;
            if self.default.replace(default).is_some() {
                return Err(syn::Error::new_spanned(attribute, "duplicate `#[default]`"));
            }
        } else if path.is_ident("rename") {
            let rename = rename_value(&attribute.meta)?;
            if self.rename.replace(rename).is_some() {
                return Err(syn::Error::new_spanned(attribute, "duplicate `#[rename]`"));
            }
        } else if !path.is_ident("doc") {
            self.copied.push(attribute);
        }
        Ok(())
    }

    /// Returns the name in the schema.
    pub(crate) fn name(&self) -> LitStr {
        self.rename
            .clone()
            .unwrap_or_else(|| LitStr::new(&self.ident.unraw().to_string(), self.ident.span()))
    }

    /// Returns a pattern that binds the field to a variable.
    pub(crate) fn pattern(&self, variable: &Ident) -> TokenStream {
        let ident = &self.ident;
        quote!(#ident: #variable)
    }

    /// Returns the field of the struct of all arguments, and the function that returns its default.
    pub(crate) fn field(&self, position: usize) -> (TokenStream, Option<TokenStream>) {
        let Self {
            ident, ty, copied, ..
        } = self;
        let description = self.description.iter();
        let rename = self.rename.iter();
        let function_name = format_ident!("__default_{position}");
        let (default, function) = match &self.default {
            None => (None, None),
            Some(DefaultValue::OfType) => (Some(quote!(#[serde(default)])), None),
            Some(DefaultValue::Expr(value)) => {
                let path = LitStr::new(&function_name.to_string(), Span::call_site());
                let value = into_owned(value);
                let function = quote!(fn #function_name() -> #ty { #value });
                (Some(quote!(#[serde(default = #path)])), Some(function))
            }
        };
        let field = quote! {
            #( #[doc = #description] )*
            #( #[serde(rename = #rename)] )*
            #default
            #( #copied )*
            #ident: #ty
        };
        (field, function)
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    const OURS: [&str; 6] = ["doc", "default", "rename", "extract", "serde", "schemars"];
    OURS.iter().any(|name| attribute.path().is_ident(name))
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// Returns the name of a parameter that has no other pattern.
fn name_of(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(PatIdent {
            by_ref: None,
            subpat: None,
            ident,
            ..
        }) => Some(ident),
        _ => None,
    }
}

fn default_value(meta: &Meta) -> syn::Result<DefaultValue> {
    match meta {
        Meta::Path(_) => Ok(DefaultValue::OfType),
        Meta::NameValue(pair) => Ok(DefaultValue::Expr(pair.value.clone())),
        Meta::List(list) => Err(syn::Error::new_spanned(
            list,
            "write `#[default = …]`, or `#[default]` for the default of the type",
        )),
    }
}

fn rename_value(meta: &Meta) -> syn::Result<LitStr> {
    if let Meta::NameValue(pair) = meta
        && let Some(Lit::Str(name)) = literal(&pair.value)
    {
        return Ok(name.clone());
    }
    Err(syn::Error::new_spanned(
        meta,
        "write the name as `#[rename = \"…\"]`",
    ))
}

/// Converts a string literal, so that `#[default = "all"]` works for a `String`.
fn into_owned(value: &Expr) -> TokenStream {
    match literal(value) {
        Some(Lit::Str(_)) => quote_spanned!(value.span()=> ::core::convert::From::from(#value)),
        _ => quote!(#value),
    }
}

/// Reports types that cannot be deserialized from arguments.
fn check_argument(ty: &Type, errors: &mut Errors) {
    match invalid_type(ty.to_token_stream()) {
        Some(InvalidType::Reference(span, fix)) => errors.add(syn::Error::new(
            span,
            format!("an argument of a tool must be owned: {fix}"),
        )),
        Some(InvalidType::ImplTrait(span)) => errors.add(syn::Error::new(
            span,
            "an argument of a tool needs a concrete type",
        )),
        None => {}
    }
}

/// Reports types that cannot be extractors.
fn check_extractor(ty: &Type, errors: &mut Errors) {
    match invalid_type(ty.to_token_stream()) {
        Some(InvalidType::Reference(span, _)) => errors.add(syn::Error::new(
            span,
            "an extractor is taken by value: remove the `&`",
        )),
        Some(InvalidType::ImplTrait(span)) => {
            errors.add(syn::Error::new(span, "an extractor needs a concrete type"));
        }
        None => {}
    }
}

enum InvalidType {
    /// A reference, and what to use instead.
    Reference(Span, &'static str),
    ImplTrait(Span),
}

/// Finds the first `&` or `impl` in a type, at any depth.
fn invalid_type(tokens: TokenStream) -> Option<InvalidType> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Punct(punct) if punct.as_char() == '&' => Some(InvalidType::Reference(
                punct.span(),
                owned_form(tokens.clone()),
            )),
            TokenTree::Ident(ident) if ident == "impl" => {
                Some(InvalidType::ImplTrait(ident.span()))
            }
            TokenTree::Group(group) => invalid_type(group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns what to write instead of a reference to the type of these tokens.
fn owned_form(referent: impl Iterator<Item = TokenTree>) -> &'static str {
    // A lifetime is a quote and an identifier.
    let mut after_quote = false;
    for token in referent {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => after_quote = true,
            TokenTree::Ident(_) if after_quote => after_quote = false,
            TokenTree::Ident(ident) if ident == "mut" => {}
            TokenTree::Ident(ident) if ident == "str" => return "use `String`",
            TokenTree::Ident(ident) if ident == "Path" => return "use `PathBuf`",
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Bracket => {
                return "use `Vec`";
            }
            _ => break,
        }
    }
    "remove the `&`"
}
