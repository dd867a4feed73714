use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Lit, LitStr, Meta, Pat, PatIdent, PatType, Type};

use crate::argument_type::{check_argument, check_extractor};
use crate::description;
use crate::problems::Problems;
use crate::setting::literal;

/// A parameter of a function that becomes a tool.
pub(crate) enum Parameter {
    /// The model gives it.
    Argument(Box<Argument>),
    /// The call gives it.
    Extractor(Box<Type>),
}

pub(crate) struct Argument {
    ident: Ident,
    pub(crate) ty: Box<Type>,
    rename: Option<LitStr>,
    default: Option<DefaultValue>,
    description: Option<String>,
    /// Those of serde and schemars, which are theirs to judge.
    passed_on: Vec<Attribute>,
}

enum DefaultValue {
    OfType,
    Given(Expr),
}

impl Parameter {
    /// Reads a parameter and leaves it as the compiler wants it, without the attributes that only
    /// this macro understands.
    pub(crate) fn take(parameter: &mut PatType, problems: &mut Problems) -> Self {
        let ours: Vec<Attribute> = parameter
            .attrs
            .extract_if(.., |attribute| is_ours(attribute))
            .collect();
        for attribute in parameter
            .attrs
            .extract_if(.., |attribute| is_condition(attribute))
        {
            problems.at(
                attribute,
                "the parameters of a tool cannot depend on the configuration: write one function \
                 for each",
            );
        }
        let ty = parameter.ty.clone();
        let marked = ours
            .iter()
            .find(|attribute| attribute.path().is_ident("extract"));
        match (name_of(&parameter.pat), marked) {
            (Some(ident), None) => {
                Self::Argument(Box::new(Argument::read(ident.clone(), ty, ours, problems)))
            }
            (name, marked) => {
                if let (None, Some(marked)) = (name, marked) {
                    problems.at(
                        marked,
                        "a pattern is an extractor anyway: remove `#[extract]`",
                    );
                }
                for attribute in ours.iter().filter(|it| !it.path().is_ident("extract")) {
                    problems.at(
                        attribute,
                        "this is for arguments that the model gives, and this parameter is an \
                         extractor; a name instead of a pattern makes an argument",
                    );
                }
                check_extractor(&ty, problems);
                Self::Extractor(ty)
            }
        }
    }
}

impl Argument {
    fn read(
        ident: Ident,
        ty: Box<Type>,
        attributes: Vec<Attribute>,
        problems: &mut Problems,
    ) -> Self {
        check_argument(&ty, problems);
        let description = description::read(&attributes).unwrap_or_else(|problem| {
            problems.add(problem);
            None
        });
        let mut argument = Self {
            ident,
            ty,
            rename: None,
            default: None,
            description,
            passed_on: Vec::new(),
        };
        for attribute in attributes {
            if let Err(problem) = argument.apply(attribute) {
                problems.add(problem);
            }
        }
        argument
    }

    fn apply(&mut self, attribute: Attribute) -> syn::Result<()> {
        let path = attribute.path();
        if path.is_ident("default") {
            let default = default_value(&attribute.meta)?;
            if self.default.replace(default).is_some() {
                return Err(syn::Error::new_spanned(
                    attribute,
                    "there is a default already",
                ));
            }
        } else if path.is_ident("rename") {
            let rename = new_name(&attribute.meta)?;
            if self.rename.replace(rename).is_some() {
                return Err(syn::Error::new_spanned(
                    attribute,
                    "there is a new name already",
                ));
            }
        } else if !path.is_ident("doc") {
            self.passed_on.push(attribute);
        }
        Ok(())
    }

    /// What the model calls it.
    pub(crate) fn name(&self) -> LitStr {
        let own = || LitStr::new(&self.ident.unraw().to_string(), self.ident.span());
        self.rename.clone().unwrap_or_else(own)
    }

    /// The member of the struct of all arguments, taken apart into a variable.
    pub(crate) fn pattern(&self, variable: &Ident) -> TokenStream {
        let ident = &self.ident;
        quote!(#ident: #variable)
    }

    /// The member of the struct of all arguments, and the function that makes its default value.
    pub(crate) fn member(&self, position: usize) -> (TokenStream, Option<TokenStream>) {
        let Self {
            ident,
            ty,
            passed_on,
            ..
        } = self;
        let description = self.description.iter();
        let rename = self.rename.iter();
        let maker = format_ident!("__default_{position}");
        let (default, function) = match &self.default {
            None => (None, None),
            Some(DefaultValue::OfType) => (Some(quote!(#[serde(default)])), None),
            Some(DefaultValue::Given(value)) => {
                let path = LitStr::new(&maker.to_string(), Span::call_site());
                let value = owned(value);
                let function = quote!(fn #maker() -> #ty { #value });
                (Some(quote!(#[serde(default = #path)])), Some(function))
            }
        };
        let member = quote! {
            #( #[doc = #description] )*
            #( #[serde(rename = #rename)] )*
            #default
            #( #passed_on )*
            #ident: #ty
        };
        (member, function)
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    const OURS: [&str; 6] = ["doc", "default", "rename", "extract", "serde", "schemars"];
    OURS.iter().any(|name| attribute.path().is_ident(name))
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// The name of a parameter that is a name and nothing else.
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
        Meta::NameValue(pair) => Ok(DefaultValue::Given(pair.value.clone())),
        Meta::List(list) => Err(syn::Error::new_spanned(
            list,
            "write `#[default = …]`, or `#[default]` for the default of the type",
        )),
    }
}

fn new_name(meta: &Meta) -> syn::Result<LitStr> {
    if let Meta::NameValue(pair) = meta
        && let Some(Lit::Str(name)) = literal(&pair.value)
    {
        return Ok(name.clone());
    }
    Err(syn::Error::new_spanned(
        meta,
        "write the new name as `#[rename = \"…\"]`",
    ))
}

/// A text as a default is meant for a `String`, or whatever else is made of text.
fn owned(value: &Expr) -> TokenStream {
    match literal(value) {
        Some(Lit::Str(_)) => quote_spanned!(value.span()=> ::core::convert::From::from(#value)),
        _ => quote!(#value),
    }
}
