use serde::de::value::UnitDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};

/// Declares an object whose unknown members are kept.
///
/// Written like a struct. A member whose wire name differs from its Rust name says so with
/// `as "wireName"`; the constant members that tell its kind stand in brackets behind the name:
///
/// ```text
/// open_struct! {
///     /// …
///     pub struct UserMessage ["type" = "user"] {
///         /// …
///         pub message: UserContent,
///         /// …
///         pub is_synthetic as "isSynthetic": Option<bool>,
///     }
/// }
/// ```
///
/// `Option` members may be absent or `null`, all others are required. A field `extra` is added.
macro_rules! open_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $([ $( $tag:literal = $value:expr ),* ])? {
            $( $(#[$doc:meta])* pub $field:ident $(as $wire:literal)? : $ty:ty ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$doc])* pub $field: $ty, )*
            /// Members that this version does not name.
            pub extra: $crate::open::Extra,
        }

        const _: () = {
            #[allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms)]
            #[derive(Clone, Copy)]
            enum Slot { $( $field, )* }

            #[allow(dead_code)]
            enum Key {
                Known(Slot),
                Tag,
                Other(String),
            }

            impl<'de> serde::Deserialize<'de> for Key {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Visitor;
                    impl serde::de::Visitor<'_> for Visitor {
                        type Value = Key;

                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str("a member name")
                        }

                        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Key, E> {
                            Ok(match name {
                                $( $crate::open::open_struct!(@name $field $($wire)?) => Key::Known(Slot::$field), )*
                                $( $( $tag => Key::Tag, )* )?
                                other => Key::Other(other.to_owned()),
                            })
                        }
                    }
                    deserializer.deserialize_identifier(Visitor)
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
                            $( let mut $field: Option<$ty> = None; )*
                            let mut extra = $crate::open::Extra::default();
                            while let Some(key) = map.next_key()? {
                                match key {
                                    $( Key::Known(Slot::$field) => {
                                        $field = map.next_value()?;
                                        if $field.is_none() {
                                            extra.mark_null(Slot::$field as u8);
                                        }
                                    } )*
                                    Key::Tag => {
                                        map.next_value::<serde::de::IgnoredAny>()?;
                                    }
                                    Key::Other(name) => {
                                        extra.insert(name, map.next_value()?);
                                    }
                                }
                            }
                            Ok($name {
                                $( $field: match $field {
                                    Some(value) => value,
                                    None if extra.was_null(Slot::$field as u8) => $crate::open::expand::null()?,
                                    None => $crate::open::expand::absent(
                                        $crate::open::open_struct!(@name $field $($wire)?),
                                    )?,
                                }, )*
                                extra,
                            })
                        }
                    }
                    deserializer.deserialize_map(Visitor)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap;
                    #[allow(unused_imports)]
                    use $crate::open::expand::{IfOptional, IfRequired, Probe};

                    let mut map = serializer.serialize_map(None)?;
                    $( $( map.serialize_entry($tag, $value)?; )* )?
                    $( if !(&Probe(&self.$field)).is_none() || self.extra.was_null(Slot::$field as u8) {
                        map.serialize_entry(
                            $crate::open::open_struct!(@name $field $($wire)?),
                            &self.$field,
                        )?;
                    } )*
                    for (name, value) in self.extra.iter() {
                        map.serialize_entry(name, value)?;
                    }
                    map.end()
                }
            }

            impl $crate::open::Open for $name {
                fn open(value: serde_json::Value) -> Result<Self, $crate::open::Mismatch> {
                    #[allow(unused_imports)]
                    use $crate::open::expand::{IfOptional, IfRequired, Probe};

                    #[allow(unused_mut)]
                    let mut members = $crate::open::object(value)?;
                    #[allow(unused_mut)]
                    let mut nulls: Vec<Slot> = Vec::new();
                    $( $( members.remove($tag); )* )?
                    $( let $field = {
                        let name = $crate::open::open_struct!(@name $field $($wire)?);
                        match members.remove(name) {
                            None => $crate::open::expand::absent::<$ty, serde_json::Error>(name)
                                .map_err($crate::open::Mismatch::new)?,
                            Some(serde_json::Value::Null) => {
                                nulls.push(Slot::$field);
                                $crate::open::expand::null::<$ty, serde_json::Error>()
                                    .map_err(|e| $crate::open::Mismatch::new(e).within(name))?
                            }
                            Some(value) => match <$ty as $crate::open::Open>::open(value.clone()) {
                                Ok(typed) => typed,
                                Err(mismatch) => {
                                    match $crate::open::expand::absent::<$ty, serde_json::Error>(name) {
                                        Ok(none) => {
                                            members.insert(name.to_owned(), value);
                                            none
                                        }
                                        Err(_) => return Err(mismatch.within(name)),
                                    }
                                }
                            },
                        }
                    }; )*
                    #[allow(unused_mut)]
                    let mut extra = $crate::open::Extra::from_members(members);
                    for slot in nulls {
                        extra.mark_null(slot as u8);
                    }
                    Ok(Self { $( $field, )* extra })
                }
            }

            // One bit for each member in `Extra`.
            $crate::open::open_struct!(@fits $( $field )*);
        };
    };

    (@name $field:ident $wire:literal) => { $wire };
    (@name $field:ident) => { stringify!($field) };
    (@fits) => {};
    (@fits $( $field:ident )*) => {
        const _: () = assert!([$( stringify!($field) ),*].len() as u32 <= u64::BITS);
    };
}

pub(crate) use open_struct;

/// The value of a member that is not there: `None` where it is optional.
pub(crate) fn absent<T: DeserializeOwned, E: Error>(name: &'static str) -> Result<T, E> {
    struct Absent<E>(&'static str, std::marker::PhantomData<E>);

    impl<'de, E: Error> Deserializer<'de> for Absent<E> {
        type Error = E;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, E> {
            Err(E::missing_field(self.0))
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
            visitor.visit_none()
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
            unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    T::deserialize(Absent(name, std::marker::PhantomData))
}

/// The value of a member that is `null`: `None` where it is optional, `Value::Null` where any JSON
/// is allowed.
pub(crate) fn null<T: DeserializeOwned, E: Error>() -> Result<T, E> {
    T::deserialize(UnitDeserializer::new())
}

/// Tells whether a member is an absent `Option`, for members of any type.
///
/// Method lookup prefers the implementation that needs fewer references, so `(&Probe(&x)).is_none()`
/// finds [`IfOptional`] for options and [`IfRequired`] for all others.
pub(crate) struct Probe<'a, T>(pub(crate) &'a T);

pub(crate) trait IfOptional {
    fn is_none(&self) -> bool;
}

impl<T> IfOptional for Probe<'_, Option<T>> {
    fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

pub(crate) trait IfRequired {
    fn is_none(&self) -> bool;
}

impl<T> IfRequired for &Probe<'_, T> {
    fn is_none(&self) -> bool {
        false
    }
}
