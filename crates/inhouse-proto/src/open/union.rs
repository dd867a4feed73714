use serde::de::MapAccess;
use serde_json::{Map, Value};

/// Declares an object that is told apart by the string in one of its members.
///
/// ```text
/// open_union! {
///     /// …
///     pub enum ContentBlock by "type" {
///         /// …
///         Text(TextBlock) = "text",
///     }
/// }
/// ```
///
/// A variant `Unknown` is added for every other tag, and for known tags with an unexpected shape.
macro_rules! open_union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$doc:meta])* $variant:ident ( $inner:ty ) = $wire:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$doc])* $variant($inner), )*
            /// One that this version does not know, kept whole.
            Unknown($crate::open::Unknown),
        }

        impl $name {
            /// The tag as the wire spells it.
            #[must_use]
            pub fn tag(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $wire, )*
                    Self::Unknown(unknown) => &unknown.tag,
                }
            }
        }

        $( impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        } )*

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(inner) => inner.serialize(serializer), )*
                    Self::Unknown(unknown) => unknown.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object (", stringify!($name), ")"))
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        // The CLI nearly always writes the tag first: then nothing is buffered.
                        let Some(first) = map.next_key::<String>()? else {
                            return $name::open_members(serde_json::Map::new()).map_err(serde::de::Error::custom);
                        };
                        if first != $tag {
                            let members = $crate::open::expand::collect_object(first, map)?;
                            return $name::open_members(members).map_err(serde::de::Error::custom);
                        }
                        let tag: serde_json::Value = map.next_value()?;
                        if let Some(known) = tag.as_str() {
                            let rest = serde::de::value::MapAccessDeserializer::new(&mut map);
                            if let Some(typed) = $name::of_tag(known, rest)? {
                                return Ok(typed);
                            }
                        }
                        let mut members = serde_json::Map::new();
                        while let Some((name, value)) = map.next_entry()? {
                            members.insert(name, value);
                        }
                        members.insert(first, tag);
                        $name::open_members(members).map_err(serde::de::Error::custom)
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }

        impl $name {
            /// Decodes one whose tag has been read already; `None`, with nothing read, when the tag
            /// is unknown.
            pub(crate) fn of_tag<'de, D: serde::Deserializer<'de>>(
                tag: &str,
                deserializer: D,
            ) -> Result<Option<Self>, D::Error> {
                match tag {
                    $( $wire => <$inner as serde::Deserialize>::deserialize(deserializer)
                        .map(|inner| Some(Self::$variant(inner))), )*
                    _ => Ok(None),
                }
            }

            fn open_members(
                members: serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, $crate::open::Mismatch> {
                $crate::open::Open::open(serde_json::Value::Object(members))
            }
        }

        impl $crate::open::Open for $name {
            fn open(value: serde_json::Value) -> Result<Self, $crate::open::Mismatch> {
                let tag = $crate::open::expand::tag_of(&value, $tag);
                let typed = match tag.as_str() {
                    $( $wire => <$inner as $crate::open::Open>::open(value.clone()).map(Self::$variant), )*
                    _ => return Ok(Self::Unknown($crate::open::Unknown::tagged(tag, value))),
                };
                Ok(typed.unwrap_or_else(|mismatch| {
                    Self::Unknown($crate::open::Unknown::misshapen(tag, value, mismatch))
                }))
            }
        }
    };
}

pub(crate) use open_union;

/// The tag of a value, or the empty string.
pub(crate) fn tag_of(value: &Value, tag: &str) -> String {
    value
        .get(tag)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Reads what is left of an object whose first key has been read.
pub(crate) fn collect_object<'de, A: MapAccess<'de>>(
    first: String,
    mut map: A,
) -> Result<Map<String, Value>, A::Error> {
    let mut members = Map::new();
    members.insert(first, map.next_value()?);
    while let Some((name, value)) = map.next_entry()? {
        members.insert(name, value);
    }
    Ok(members)
}
