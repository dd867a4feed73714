use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Ident, LitStr, ReturnType, Safety, Signature, Type};

use crate::description;
use crate::parameter::{Argument, Parameter};
use crate::problems::Problems;
use crate::setting::is_plain;
use crate::tool_settings::ToolSettings;

/// The most that a handler of `inhouse` takes.
const MOST_PARAMETERS: usize = 8;

/// A function or method that becomes a tool.
pub(crate) struct ToolFunction {
    settings: ToolSettings,
    name: LitStr,
    description: TokenStream,
    parameters: Vec<Parameter>,
    is_async: bool,
    /// Where the compiler reports that the function cannot be a tool: at its result, if it has one.
    place: Span,
}

/// How the function is called.
pub(crate) struct Callee {
    pub(crate) path: TokenStream,
    /// The type of the state that is its `self`, if it has one.
    pub(crate) receiver: Option<Type>,
}

impl ToolFunction {
    /// Reads a function without its `self`, and takes the attributes from its parameters that only
    /// this macro understands.
    pub(crate) fn take(
        settings: TokenStream,
        attributes: &[Attribute],
        signature: &mut Signature,
        problems: &mut Problems,
    ) -> Self {
        let settings = ToolSettings::read(settings, problems);
        check_signature(signature, &settings, problems);
        let own_name = signature.ident.unraw().to_string();
        if settings.name.is_none() && !is_plain(&own_name) {
            problems.at(
                &signature.ident,
                "a name has only the letters a to z in both cases, digits, `_` and `-`: choose one \
                 with `#[tool(name = \"…\")]`",
            );
        }
        let own_name = LitStr::new(&own_name, signature.ident.span());
        let name = settings.name.clone().unwrap_or(own_name);
        let description = match &settings.description {
            Some(description) => description.to_token_stream(),
            None => doc_comment(attributes, &signature.ident, problems),
        };
        let parameters: Vec<Parameter> = signature
            .inputs
            .iter_mut()
            .filter_map(|input| match input {
                FnArg::Typed(parameter) => Some(Parameter::take(parameter, problems)),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let tool = Self {
            settings,
            name,
            description,
            parameters,
            is_async: signature.asyncness.is_some(),
            place: place_of(signature).resolved_at(Span::mixed_site()),
        };
        tool.check_parameters(signature, problems);
        tool
    }

    /// The types of its extractors.
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

    /// The items that its arguments need: the struct of all of them, and their default values.
    pub(crate) fn items(&self) -> TokenStream {
        if self.arguments().next().is_none() {
            return TokenStream::new();
        }
        let (members, defaults): (Vec<_>, Vec<_>) = self
            .arguments()
            .enumerate()
            .map(|(at, argument)| argument.member(at))
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
            struct __Arguments { #( #members, )* }
            #( #defaults )*
            const _: fn() = || { #( #checks )* };
        }
    }

    /// The expression that makes the tool, where its items are in scope.
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
        let (taken, types) = self.taken(callee, this.as_ref(), &variables);
        let this = this.into_iter();
        let path = &callee.path;
        let call = quote!(#path(#( &#this, )* #( #variables ),*));
        let call = match (self.is_async, &self.settings.blocking) {
            (true, _) => quote!(#call.await),
            (false, None) => call,
            (false, Some(_)) => quote!(::inhouse::__private::blocking(move || #call).await),
        };
        let new = quote_spanned! {self.place=>
            ::inhouse::tool::Tool::new::<_, (#( #types, )*)>
        };
        let handler = quote_spanned! {self.place=>
            |#( #taken: #types ),*| async move { #call }
        };
        quote! {
            #new(#name, #description, #handler)
            #( #methods )*
        }
    }

    /// The patterns and the types of what the handler takes: the state that is the receiver, the
    /// extractors, and the arguments as one.
    fn taken(
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
        let mut members = Vec::new();
        for (parameter, variable) in self.parameters.iter().zip(variables) {
            match parameter {
                Parameter::Extractor(ty) => {
                    patterns.push(variable.to_token_stream());
                    types.push(ty.to_token_stream());
                }
                Parameter::Argument(argument) => members.push(argument.pattern(variable)),
            }
        }
        if !members.is_empty() {
            patterns.push(quote!(::inhouse::tool::Input(__Arguments { #( #members ),* })));
            types.push(quote!(::inhouse::tool::Input<__Arguments>));
        }
        (patterns, types)
    }

    fn check_parameters(&self, signature: &Signature, problems: &mut Problems) {
        let names: Vec<LitStr> = self.arguments().map(Argument::name).collect();
        for (at, name) in names.iter().enumerate() {
            if names[..at]
                .iter()
                .any(|earlier| earlier.value() == name.value())
            {
                problems.at(
                    name,
                    format!("there is another argument `{}`", name.value()),
                );
            }
        }
        if let (Some(input), Some(_)) = (self.extractors().find(is_input), names.first()) {
            problems.at(
                input,
                "the model gives either what is in `Input`, or the named parameters: move the \
                 named ones into the type of the `Input`, or its members to the parameters",
            );
        }
        let receiver = usize::from(signature.receiver().is_some());
        let taken = receiver + self.extractors().count() + usize::from(!names.is_empty());
        if taken > MOST_PARAMETERS {
            problems.at(
                &signature.inputs,
                "these are more extractors than a tool can have: make one of several with an `Extract` of your own",
            );
        }
    }
}

/// A variable that no name of the user's can be confused with.
fn variable(position: usize) -> Ident {
    format_ident!("parameter_{position}", span = Span::mixed_site())
}

fn place_of(signature: &Signature) -> Span {
    match &signature.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => signature.ident.span(),
    }
}

fn doc_comment(attributes: &[Attribute], function: &Ident, problems: &mut Problems) -> TokenStream {
    match description::read(attributes) {
        Ok(Some(text)) => return text.to_token_stream(),
        Ok(None) => problems.at(
            function,
            format!("say what `{function}` does, in a doc comment: it is what Claude reads"),
        ),
        Err(problem) => problems.add(problem),
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

fn check_signature(signature: &Signature, settings: &ToolSettings, problems: &mut Problems) {
    let generics = &signature.generics;
    if !generics.params.is_empty() {
        problems.at(
            generics,
            "a tool cannot be generic: Claude calls it with values of fixed types",
        );
    } else if let Some(clause) = &generics.where_clause {
        problems.at(clause, "a tool cannot be generic, and needs no bounds");
    }
    if let Safety::Unsafe(word) = &signature.safety {
        problems.at(word, "Claude keeps no promises: a tool is a safe function");
    }
    if let Some(variadic) = &signature.variadic {
        problems.at(
            variadic,
            "a tool has a fixed number of arguments; `Vec` holds any number of values",
        );
    }
    if let (Some(blocking), Some(_)) = (&settings.blocking, &signature.asyncness) {
        problems.at(
            blocking,
            "`blocking` is for plain functions: remove it, or the `async` of the function",
        );
    }
}
