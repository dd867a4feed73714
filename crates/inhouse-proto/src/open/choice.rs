/// Declares a set of strings that may grow: an enum with a variant `Unknown(String)`.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$doc:meta])* $variant:ident = $wire:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$doc])* $variant, )*
            /// A value that this version does not know.
            Unknown(String),
        }

        impl $name {
            /// The value as the wire spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $wire, )*
                    Self::Unknown(value) => value,
                }
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $( $wire => Self::$variant, )*
                    other => Self::Unknown(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::open::expand::deserialize(deserializer)
            }
        }

        impl $crate::open::Open for $name {
            fn blank() -> Self {
                Self::Unknown(String::new())
            }

            fn fill(&mut self, reader: &mut $crate::open::Reader<'_>) -> Option<()> {
                *self = Self::from(&*reader.text()?);
                Some(())
            }

            fn open(value: serde_json::Value) -> Result<Self, $crate::open::Mismatch> {
                match value {
                    serde_json::Value::String(value) => Ok(Self::from(value.as_str())),
                    other => Err($crate::open::Mismatch::new(format_args!(
                        "expected a string, found {other}"
                    ))),
                }
            }
        }
    };
}

pub(crate) use open_enum;
