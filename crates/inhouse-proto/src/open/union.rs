use serde_json::Value;

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
                $crate::open::expand::deserialize(deserializer)
            }
        }

        impl $crate::open::Open for $name {
            fn blank() -> Self {
                Self::Unknown($crate::open::Unknown::tagged("", serde_json::Value::Null))
            }

            fn fill(&mut self, reader: &mut $crate::open::Reader<'_>) -> Option<()> {
                *self = match reader.tag($tag)? {
                    $( $wire => Self::$variant(reader.value()?), )*
                    _ => Self::open(reader.parse()?).ok()?,
                };
                Some(())
            }

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
