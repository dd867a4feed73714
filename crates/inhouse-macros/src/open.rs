use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Error, Fields, Ident, LitStr, Result, Type,
    Variant,
};

/// Expands `#[derive(Open)]`.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let container = SerdeAttributes::of(&input.attrs)?;
    match &input.data {
        Data::Struct(data) => object(input, data, &container),
        Data::Enum(data) => enumeration(input, data, container),
        Data::Union(_) => Err(Error::new_spanned(
            input,
            "`Open` goes on a struct or an enum",
        )),
    }
}

/// Expands the decoding of an object. Members without a field are ignored, and an `Option` of the wrong shape becomes
/// `None`.
fn object(
    input: &DeriveInput,
    data: &DataStruct,
    container: &SerdeAttributes,
) -> Result<TokenStream> {
    let name = &input.ident;
    let (mut wires, mut reads, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut slots, mut checks) = (Vec::new(), Vec::new());
    for field in &data.fields {
        let ident = field.ident.as_ref();
        let ident = ident.ok_or_else(|| Error::new_spanned(field, "`Open` needs named fields"))?;
        let wire = field_name(ident, SerdeAttributes::of(&field.attrs)?, container)?;
        // A prefixed name, because a field may have the name of a variable of the visitor.
        let slot = format_ident!("field_{}", ident);
        let read = match is_option(&field.ty) {
            true => quote!(crate::open::optional(&mut map)?),
            false => {
                // No closure, which the compiler would translate once for each field.
                checks.push(quote! {
                    let Some(#slot) = #slot else {
                        return Err(::serde::de::Error::missing_field(#wire));
                    };
                });
                quote!(Some(crate::open::required(&mut map, #wire)?))
            }
        };
        wires.push(wire);
        reads.push(read);
        values.push(quote!(#ident: #slot));
        slots.push(slot);
    }
    Ok(quote! {
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct MembersVisitor;

                impl<'de> ::serde::de::Visitor<'de> for MembersVisitor {
                    type Value = #name;

                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: ::serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        #( let mut #slots = None; )*
                        while let Some(crate::open::Name(name)) = map.next_key()? {
                            match &*name {
                                #( #wires => #slots = #reads, )*
                                _ => drop(map.next_value::<::serde::de::IgnoredAny>()?),
                            }
                        }
                        #( #checks )*
                        Ok(#name { #( #values, )* })
                    }
                }

                deserializer.deserialize_map(MembersVisitor)
            }
        }
    })
}

/// Returns the name of a field on the wire.
fn field_name(
    field: &Ident,
    attributes: SerdeAttributes,
    container: &SerdeAttributes,
) -> Result<LitStr> {
    match (attributes.rename, &container.rename_all) {
        (Some(name), _) => Ok(name),
        (None, Some(rule)) if rule.value() == "camelCase" => {
            Ok(LitStr::new(&camel_case(&field.to_string()), field.span()))
        }
        (None, Some(rule)) => Err(Error::new_spanned(
            rule,
            "`Open` knows camelCase for fields",
        )),
        (None, None) => Ok(LitStr::new(&field.to_string(), field.span())),
    }
}

/// Expands an enum of strings, or of objects if it has a tag.
fn enumeration(
    input: &DeriveInput,
    data: &DataEnum,
    container: SerdeAttributes,
) -> Result<TokenStream> {
    let rule = container.rename_all.as_ref();
    let variants = data
        .variants
        .iter()
        .filter(|variant| variant.ident != "Unknown")
        .map(|variant| Named::of(variant, rule))
        .collect::<Result<Vec<_>>>()?;
    if variants.len() + 1 != data.variants.len() {
        return Err(Error::new_spanned(
            input,
            "`Open` needs a variant `Unknown`",
        ));
    }
    Ok(match container.tag {
        Some(tag) => union(input, &tag, &variants),
        None => strings(input, &variants),
    })
}

/// Expands an enum of strings: `as_str`, `From<&str>`, `Display` and the serde traits.
fn strings(input: &DeriveInput, variants: &[Named<'_>]) -> TokenStream {
    let name = &input.ident;
    let idents: Vec<_> = variants
        .iter()
        .map(|variant| &variant.variant.ident)
        .collect();
    let wire: Vec<_> = variants.iter().map(|variant| &variant.wire).collect();
    quote! {
        impl #name {
            /// Returns the value as it is on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    #( Self::#idents => #wire, )*
                    Self::Unknown(value) => value,
                }
            }
        }

        impl From<&str> for #name {
            fn from(value: &str) -> Self {
                match value {
                    #( #wire => Self::#idents, )*
                    other => Self::Unknown(other.to_owned()),
                }
            }
        }

        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::open::string(deserializer)
            }
        }
    }
}

/// Expands an enum of tagged objects: `tag`, `From` of each payload, and `Deserialize`.
fn union(input: &DeriveInput, tag: &LitStr, variants: &[Named<'_>]) -> TokenStream {
    let name = &input.ident;
    let wire: Vec<_> = variants.iter().map(|variant| &variant.wire).collect();
    let patterns = variants.iter().map(|named| {
        let ident = &named.variant.ident;
        match named.payload {
            Some(_) => quote!(Self::#ident(_)),
            None => quote!(Self::#ident),
        }
    });
    let decoded = variants.iter().map(|named| {
        let ident = &named.variant.ident;
        match named.payload {
            Some(_) => quote!(crate::open::decode(text).map(Self::#ident)),
            None => quote!(Ok(Self::#ident)),
        }
    });
    // No `From` for a payload that several variants have: the implementations would conflict.
    let is_unique = |payload: &Type| {
        let same = variants
            .iter()
            .filter(|other| other.payload == Some(payload));
        same.count() == 1
    };
    let conversions = variants.iter().filter_map(|named| {
        let ident = &named.variant.ident;
        let payload = named.payload.filter(|payload| is_unique(payload))?;
        Some(quote! {
            impl From<#payload> for #name {
                fn from(payload: #payload) -> Self {
                    Self::#ident(payload)
                }
            }
        })
    });
    quote! {
        impl #name {
            /// Returns the tag as it is on the wire.
            #[must_use]
            pub fn tag(&self) -> &str {
                match self {
                    #( #patterns => #wire, )*
                    Self::Unknown(unknown) => &unknown.tag,
                }
            }
        }

        #( #conversions )*

        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::open::union(deserializer, #tag, |tag, text| Some(match tag {
                    #( #wire => #decoded, )*
                    _ => return None,
                }), Self::Unknown)
            }
        }
    }
}

/// A variant and its name on the wire.
struct Named<'a> {
    variant: &'a Variant,
    wire: LitStr,
    payload: Option<&'a Type>,
}

impl<'a> Named<'a> {
    fn of(variant: &'a Variant, rule: Option<&LitStr>) -> Result<Self> {
        let attributes = SerdeAttributes::of(&variant.attrs)?;
        let wire = match (attributes.rename, rule) {
            (Some(name), _) => name,
            (None, Some(rule)) => {
                let renamed = rename(&variant.ident.to_string(), rule)?;
                LitStr::new(&renamed, variant.ident.span())
            }
            (None, None) => LitStr::new(&variant.ident.to_string(), variant.ident.span()),
        };
        let payload = match &variant.fields {
            Fields::Unit => None,
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Some(&fields.unnamed[0].ty),
            _ => {
                return Err(Error::new_spanned(
                    variant,
                    "a variant holds nothing, or one unnamed value",
                ));
            }
        };
        Ok(Self {
            variant,
            wire,
            payload,
        })
    }
}

/// The serde attributes that the derive supports.
#[derive(Default)]
struct SerdeAttributes {
    tag: Option<LitStr>,
    rename: Option<LitStr>,
    rename_all: Option<LitStr>,
}

impl SerdeAttributes {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes {
            if !attribute.path().is_ident("serde") {
                continue;
            }
            attribute.parse_nested_meta(|meta| {
                let slot = if meta.path.is_ident("tag") {
                    &mut found.tag
                } else if meta.path.is_ident("rename") {
                    &mut found.rename
                } else if meta.path.is_ident("rename_all") {
                    &mut found.rename_all
                } else if meta.path.is_ident("untagged")
                    || meta.path.is_ident("skip_serializing_if")
                {
                    // Only `Serialize` uses these attributes.
                    if meta.input.peek(syn::Token![=]) {
                        meta.value()?.parse::<LitStr>()?;
                    }
                    return Ok(());
                } else {
                    return Err(meta.error("`Open` does not support this attribute"));
                };
                *slot = Some(meta.value()?.parse()?);
                Ok(())
            })?;
        }
        Ok(found)
    }
}

fn is_option(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|segment| segment.ident == "Option")
}

fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        name.extend(word.chars().take(1).map(|first| first.to_ascii_uppercase()));
        name.push_str(word.get(1..).unwrap_or_default());
    }
    name
}

/// Applies a `rename_all` rule to the name of a variant.
fn rename(variant: &str, rule: &LitStr) -> Result<String> {
    let separated = |separator: char| {
        let mut name = String::new();
        for (index, letter) in variant.char_indices() {
            if letter.is_ascii_uppercase() && index > 0 {
                name.push(separator);
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    };
    Ok(match rule.value().as_str() {
        "snake_case" => separated('_'),
        "kebab-case" => separated('-'),
        "PascalCase" => variant.to_owned(),
        "camelCase" => variant[..1].to_ascii_lowercase() + &variant[1..],
        _ => {
            return Err(Error::new_spanned(
                rule,
                "`Open` knows snake_case, kebab-case, camelCase and PascalCase",
            ));
        }
    })
}
