use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, ImplItem, ImplItemFn, ItemImpl, Meta, Receiver, ReceiverKind, Type, parse_quote,
};

use crate::problems::Problems;
use crate::server_settings::ServerSettings;
use crate::tool_function::{Callee, ToolFunction};

/// `#[tool(server = "…")]` on an impl block: the block as it was, and in it the function that makes
/// the server.
pub(crate) fn expand(settings: TokenStream, mut block: ItemImpl) -> TokenStream {
    let mut problems = Problems::default();
    let ServerSettings { name, methods } = ServerSettings::read(settings, &mut problems);
    check_block(&block, &mut problems);
    let self_type = (*block.self_ty).clone();
    let mut tools = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(settings) = take_tool_attribute(method, &mut problems)
        {
            tools.push(declare(settings, method, &self_type, &mut problems));
        }
    }
    if tools.is_empty() && problems.are_none() {
        problems.at(
            &self_type,
            "mark the methods that are tools with `#[tool]`: there are none",
        );
    }
    let body = if problems.are_none() {
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
        // It does not run: what is wrong is reported, and nothing that follows from it.
        quote!(::core::unreachable!())
    };
    if block.trait_.is_none() {
        block.items.push(ImplItem::Verbatim(quote! {
            /// A server whose tools are the methods that are marked as such.
            ///
            /// It takes the value, or an `Arc` of it where the program goes on to use it.
            #[must_use]
            #[allow(unreachable_pub)]
            pub fn tool_server(
                state: impl ::core::convert::Into<::std::sync::Arc<Self>>,
            ) -> ::inhouse::tool::ToolServer<::std::sync::Arc<Self>> {
                #body
            }
        }));
    }
    let errors = problems.into_errors();
    quote!(#errors #block)
}

fn check_block(block: &ItemImpl, problems: &mut Problems) {
    if let Some((path, _)) = &block.trait_ {
        problems.at(
            path,
            "a server is made of the methods of a type, not of those of a trait",
        );
    }
    if !block.generics.params.is_empty() {
        problems.at(
            &block.generics,
            "a server is made of one type: name the types instead of being generic over them",
        );
    }
}

/// The settings of the `#[tool]` of a method, which is taken off.
fn take_tool_attribute(method: &mut ImplItemFn, problems: &mut Problems) -> Option<TokenStream> {
    let ours: Vec<Attribute> = method.attrs.extract_if(.., |it| is_tool(it)).collect();
    let [first, more @ ..] = ours.as_slice() else {
        return None;
    };
    for again in more {
        problems.at(again, "there is a `#[tool]` already");
    }
    match &first.meta {
        Meta::Path(_) => Some(TokenStream::new()),
        Meta::List(list) => Some(list.tokens.clone()),
        Meta::NameValue(pair) => {
            problems.at(pair, "settings stand in parentheses: `#[tool(read_only)]`");
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

/// The statement that adds a method to the server.
fn declare(
    settings: TokenStream,
    method: &mut ImplItemFn,
    self_type: &Type,
    problems: &mut Problems,
) -> TokenStream {
    let receiver = method.sig.receiver().cloned();
    if let Some(receiver) = &receiver {
        check_receiver(receiver, problems);
    }
    let tool = ToolFunction::take(settings, &method.attrs, &mut method.sig, problems);
    if !problems.are_none() {
        return TokenStream::new();
    }
    let ident = &method.sig.ident;
    let callee = Callee {
        path: quote!(Self::#ident),
        receiver: receiver.map(|_| parse_quote!(::std::sync::Arc<Self>)),
    };
    let (items, tool) = (name_self(tool.items()), tool.tool(&callee));
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

fn check_receiver(receiver: &Receiver, problems: &mut Problems) {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => problems.at(
            receiver,
            "calls run side by side: take `&self`, and keep what changes behind a lock",
        ),
        _ => problems.at(
            receiver,
            "a server keeps its tools for the next call: take `&self`",
        ),
    }
}

/// `Self` is not known in items inside of a function, an alias is.
fn name_self(tokens: TokenStream) -> TokenStream {
    let rename = |token| match token {
        TokenTree::Ident(word) if word == "Self" => Ident::new("__Self", word.span()).into(),
        TokenTree::Group(group) => {
            let mut renamed = Group::new(group.delimiter(), name_self(group.stream()));
            renamed.set_span(group.span());
            TokenTree::Group(renamed)
        }
        token => token,
    };
    tokens.into_iter().map(rename).collect()
}
