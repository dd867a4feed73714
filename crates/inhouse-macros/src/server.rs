use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, ImplItem, ImplItemFn, ItemImpl, Meta, Receiver, ReceiverKind, Type, parse_quote,
};

use crate::errors::Errors;
use crate::settings::ServerSettings;
use crate::tool_function::{Callee, ToolFunction};

/// Expands `#[tool(server = "…")]` on an impl block: adds a function that creates the server.
pub(crate) fn expand(settings: TokenStream, mut block: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let ServerSettings { name, methods } = ServerSettings::parse(settings, &mut errors);
    check_block(&block, &mut errors);
    let self_type = (*block.self_ty).clone();
    let mut tools = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(settings) = take_tool_attribute(method, &mut errors)
        {
            tools.push(add_tool(settings, method, &self_type, &mut errors));
        }
    }
    if tools.is_empty() && errors.is_empty() {
        errors.at(&self_type, "no method is marked with `#[tool]`");
    }
    let body = if errors.is_empty() {
        quote! {
            let server = ::inhouse::tool::ToolServer::with_state(
                #name,
                ::core::convert::Into::<::std::sync::Arc<Self>>::into(state),
            )
            #( #methods )*;
            #( #tools )*
            server
        }
    } else {
        // Keeps the function, so that its users cause no further errors.
        quote!(::core::unreachable!())
    };
    if block.trait_.is_none() {
        block.items.push(ImplItem::Verbatim(quote! {
            /// Creates a server whose tools are the methods marked with `#[tool]`.
            ///
            /// Takes the value, or an `Arc` of it to share it with the rest of the program.
            #[must_use]
            #[allow(unreachable_pub)]
            pub fn tool_server(
                state: impl ::core::convert::Into<::std::sync::Arc<Self>>,
            ) -> ::inhouse::tool::ToolServer<::std::sync::Arc<Self>> {
                #body
            }
        }));
    }
    let errors = errors.into_compile_errors();
    quote!(#errors #block)
}

fn check_block(block: &ItemImpl, errors: &mut Errors) {
    if let Some((path, _)) = &block.trait_ {
        errors.at(
            path,
            "a trait implementation cannot be a server: use an inherent impl block",
        );
    }
    if !block.generics.params.is_empty() {
        errors.at(
            &block.generics,
            "a server cannot be generic: use concrete types",
        );
    }
}

/// Removes the `#[tool]` of a method, and returns its settings.
fn take_tool_attribute(method: &mut ImplItemFn, errors: &mut Errors) -> Option<TokenStream> {
    let ours: Vec<Attribute> = method
        .attrs
        .extract_if(.., |attribute| is_tool(attribute))
        .collect();
    let [first, duplicates @ ..] = ours.as_slice() else {
        return None;
    };
    for duplicate in duplicates {
        errors.at(duplicate, "duplicate `#[tool]`");
    }
    match &first.meta {
        Meta::Path(_) => Some(TokenStream::new()),
        Meta::List(list) => Some(list.tokens.clone()),
        Meta::NameValue(pair) => {
            errors.at(pair, "write settings in parentheses: `#[tool(read_only)]`");
            None
        }
    }
}

fn is_tool(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    let names: Vec<String> = segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    names == ["tool"] || names == ["inhouse", "tool"]
}

/// Returns the statement that adds a method to the server.
fn add_tool(
    settings: TokenStream,
    method: &mut ImplItemFn,
    self_type: &Type,
    errors: &mut Errors,
) -> TokenStream {
    let receiver = method.sig.receiver().cloned();
    if let Some(receiver) = &receiver {
        check_receiver(receiver, errors);
    }
    let tool = ToolFunction::take(settings, &method.attrs, &mut method.sig, errors);
    if !errors.is_empty() {
        return TokenStream::new();
    }
    let ident = &method.sig.ident;
    let callee = Callee {
        path: quote!(Self::#ident),
        receiver: receiver.map(|_| parse_quote!(::std::sync::Arc<Self>)),
    };
    let (items, tool) = (replace_self(tool.items()), tool.tool(&callee));
    let conditions = method
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    quote! {
        #( #conditions )*
        let server = server.tool({
            #[allow(dead_code)]
            type __Self = #self_type;
            #items
            #tool
        });
    }
}

fn check_receiver(receiver: &Receiver, errors: &mut Errors) {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => errors.at(
            receiver,
            "calls run concurrently: take `&self` and put mutable state behind a lock",
        ),
        _ => errors.at(receiver, "a tool is called many times: take `&self`"),
    }
}

/// Replaces `Self` by the alias `__Self`: items inside of a function cannot use `Self`.
fn replace_self(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => Ident::new("__Self", ident.span()).into(),
            TokenTree::Group(group) => {
                let mut replaced = Group::new(group.delimiter(), replace_self(group.stream()));
                replaced.set_span(group.span());
                TokenTree::Group(replaced)
            }
            token => token,
        })
        .collect()
}
