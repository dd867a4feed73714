use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Ident, LitStr, ReturnType, Safety, Signature, Type};

use crate::doc_comment;
use crate::errors::Errors;
use crate::parameter::{Argument, Parameter};
use crate::settings::{ToolSettings, check_function_name};

/// The largest number of parameters for which `inhouse::tool::Handler` is implemented.
const MAX_HANDLER_PARAMETERS: usize = 8;

/// A function or method that becomes a tool.
pub(crate) struct ToolFunction {
    settings: ToolSettings,
    name: LitStr,
    description: TokenStream,
    parameters: Vec<Parameter>,
    is_async: bool,
    /// The span of the return type, where the compiler reports that the function cannot be a tool.
    span: Span,
}

/// The path of the function, and the state that is passed as its `self`.
pub(crate) struct Callee {
    pub(crate) path: TokenStream,
    /// The type of the state that is passed as `self`, if the function is a method.
    pub(crate) receiver: Option<Type>,
}

impl ToolFunction {
    /// Parses a function, and removes the attributes from its parameters that only this macro knows.
    pub(crate) fn take(
        settings: TokenStream,
        attributes: &[Attribute],
        signature: &mut Signature,
        errors: &mut Errors,
    ) -> Self {
        let settings = ToolSettings::parse(settings, errors);
        check_signature(signature, &settings, errors);
        let name = settings.name.clone().unwrap_or_else(|| {
            check_function_name(&signature.ident, errors);
            LitStr::new(&signature.ident.unraw().to_string(), signature.ident.span())
        });
        let description = match &settings.description {
            Some(description) => description.to_token_stream(),
            None => self::description(attributes, &signature.ident, errors),
        };
        let parameters: Vec<Parameter> = signature
            .inputs
            .iter_mut()
            .filter_map(|input| match input {
                FnArg::Typed(parameter) => Some(Parameter::take(parameter, errors)),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let tool = Self {
            settings,
            name,
            description,
            parameters,
            is_async: signature.asyncness.is_some(),
            span: output_span(signature).resolved_at(Span::mixed_site()),
        };
        tool.check_parameters(signature, errors);
        tool
    }

    /// Returns the types of the extractors.
    pub(crate) fn extractors(&self) -> impl Iterator<Item = &Type> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Extractor(ty) => Some(&**ty),
                Parameter::Argument(_) => None,
            })
    }

    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Argument(argument) => Some(&**argument),
                Parameter::Extractor(_) => None,
            })
    }

    /// Returns the items that the arguments need: a struct of all of them, and their default values.
    pub(crate) fn items(&self) -> TokenStream {
        if self.arguments().next().is_none() {
            return TokenStream::new();
        }
        let (fields, defaults): (Vec<_>, Vec<_>) = self
            .arguments()
            .enumerate()
            .map(|(index, argument)| argument.field(index))
            .unzip();
        let defaults = defaults.into_iter().flatten();
        let checks = self.arguments().map(|argument| {
            let ty = &argument.ty;
            quote_spanned!(ty.span()=> ::inhouse::__private::argument::<#ty>();)
        });
        quote! {
            #[derive(
                ::inhouse::__private::serde::Deserialize,
                ::inhouse::__private::schemars::JsonSchema,
            )]
            #[serde(crate = "::inhouse::__private::serde", expecting = "an object of arguments")]
            #[schemars(crate = "::inhouse::__private::schemars")]
            #[allow(non_snake_case)]
            struct __Arguments { #( #fields, )* }
            #( #defaults )*
            const _: fn() = || { #( #checks )* };
        }
    }

    /// Returns the expression that creates the tool; [`items`](Self::items) must be in scope.
    pub(crate) fn tool(&self, callee: &Callee) -> TokenStream {
        let Self {
            name, description, ..
        } = self;
        let methods = &self.settings.methods;
        let variables: Vec<Ident> = (0..self.parameters.len()).map(variable).collect();
        let this = callee
            .receiver
            .as_ref()
            .map(|_| Ident::new("this", Span::mixed_site()));
        let (patterns, types) = self.handler_parameters(callee, this.as_ref(), &variables);
        let this = this.into_iter();
        let path = &callee.path;
        let call = quote!(#path(#( &#this, )* #( #variables ),*));
        let call = match (self.is_async, &self.settings.blocking) {
            (true, _) => quote!(#call.await),
            (false, None) => call,
            (false, Some(_)) => quote!(::inhouse::__private::blocking(move || #call).await),
        };
        let new = quote_spanned! {self.span=>
            ::inhouse::tool::Tool::new::<_, (#( #types, )*)>
        };
        let handler = quote_spanned! {self.span=>
            |#( #patterns: #types ),*| async move { #call }
        };
        quote! {
            #new(#name, #description, #handler)
            #( #methods )*
        }
    }

    /// Returns patterns and types of the handler's parameters: the state that is passed as `self`, the
    /// extractors, and all arguments as one `Input`.
    fn handler_parameters(
        &self,
        callee: &Callee,
        this: Option<&Ident>,
        variables: &[Ident],
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let mut patterns = Vec::new();
        let mut types = Vec::new();
        if let Some(state) = &callee.receiver {
            patterns.push(quote!(::inhouse::tool::State(#this)));
            types.push(quote!(::inhouse::tool::State<#state>));
        }
        let mut fields = Vec::new();
        for (parameter, variable) in self.parameters.iter().zip(variables) {
            match parameter {
                Parameter::Extractor(ty) => {
                    patterns.push(variable.to_token_stream());
                    types.push(ty.to_token_stream());
                }
                Parameter::Argument(argument) => fields.push(argument.pattern(variable)),
            }
        }
        if !fields.is_empty() {
            patterns.push(quote!(::inhouse::tool::Input(__Arguments { #( #fields ),* })));
            types.push(quote!(::inhouse::tool::Input<__Arguments>));
        }
        (patterns, types)
    }

    fn check_parameters(&self, signature: &Signature, errors: &mut Errors) {
        let names: Vec<LitStr> = self.arguments().map(Argument::name).collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index]
                .iter()
                .any(|other| other.value() == name.value())
            {
                errors.at(name, format!("duplicate argument `{}`", name.value()));
            }
        }
        if let (Some(input), Some(_)) = (self.extractors().find(is_input), names.first()) {
            errors.at(
                input,
                "a tool has either `Input` or named arguments: move the named arguments into the \
                 type of the `Input`, or its fields to the parameters",
            );
        }
        let receiver = usize::from(signature.receiver().is_some());
        let parameters = receiver + self.extractors().count() + usize::from(!names.is_empty());
        if parameters > MAX_HANDLER_PARAMETERS {
            errors.at(
                &signature.inputs,
                "too many extractors: a tool has at most 8, with `self` and all arguments counted as \
                 one each; combine several in a type that implements `Extract`",
            );
        }
    }
}

/// Returns a variable that cannot collide with the user's names.
fn variable(position: usize) -> Ident {
    format_ident!("parameter_{position}", span = Span::mixed_site())
}

fn output_span(signature: &Signature) -> Span {
    match &signature.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => signature.ident.span(),
    }
}

fn description(attributes: &[Attribute], function: &Ident, errors: &mut Errors) -> TokenStream {
    match doc_comment::parse(attributes) {
        Ok(Some(text)) => return text.to_token_stream(),
        Ok(None) => errors.at(
            function,
            format!("`{function}` needs a doc comment: it is the description that Claude reads"),
        ),
        Err(error) => errors.add(error),
    }
    TokenStream::new()
}

fn is_input(ty: &&Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == "Input")
}

fn check_signature(signature: &Signature, settings: &ToolSettings, errors: &mut Errors) {
    let generics = &signature.generics;
    if !generics.params.is_empty() {
        errors.at(
            generics,
            "a tool cannot be generic: its arguments need concrete types",
        );
    } else if let Some(clause) = &generics.where_clause {
        errors.at(clause, "a tool cannot have a `where` clause");
    }
    if let Safety::Unsafe(word) = &signature.safety {
        errors.at(
            word,
            "a tool cannot be unsafe: Claude may call it at any time",
        );
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a tool cannot be variadic: use a `Vec`");
    }
    if let (Some(blocking), Some(_)) = (&settings.blocking, &signature.asyncness) {
        errors.at(
            blocking,
            "`blocking` is for functions that are not async: remove `blocking` or `async`",
        );
    }
}
