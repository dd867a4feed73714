use serde_json::{Map, Value};

use super::{Mismatch, Open};

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

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    $crate::open::expand::deserialize(deserializer)
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
                fn read(reader: &mut $crate::open::Reader<'_>) -> Option<Self> {
                    $( let mut $field: Option<$ty> = None; )*
                    let mut extra = $crate::open::Extra::default();
                    reader.object(|reader, name| {
                        match name {
                            // Of a member that is there twice the last one counts, and of the tags too.
                            $( $crate::open::open_struct!(@name $field $($wire)?) => {
                                if $field.is_some() {
                                    return None;
                                }
                                if reader.peek()? == b'n' {
                                    extra.mark_null(Slot::$field as u8);
                                }
                                $field = $crate::open::Open::read(reader);
                                $field.as_ref()?;
                            } )*
                            $( $( $tag => reader.constant($value)?, )* )?
                            other => drop(extra.insert(other, reader.parse()?)),
                        }
                        Some(())
                    })?;
                    Some(Self {
                        $( $field: match $field {
                            Some(value) => value,
                            None => $crate::open::Open::absent()?,
                        }, )*
                        extra,
                    })
                }

                fn open(value: serde_json::Value) -> Result<Self, $crate::open::Mismatch> {
                    #[allow(unused_mut)]
                    let mut members = $crate::open::object(value)?;
                    #[allow(unused_mut)]
                    let mut nulls: Vec<Slot> = Vec::new();
                    $( $( members.remove($tag); )* )?
                    $( let $field = {
                        let name = $crate::open::open_struct!(@name $field $($wire)?);
                        if members.get(name).is_some_and(serde_json::Value::is_null) {
                            nulls.push(Slot::$field);
                        }
                        $crate::open::expand::open_member(&mut members, name)?
                    }; )*
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

/// Takes a known member out, and types it. Where it is optional and misshapen, it stays.
pub(crate) fn open_member<T: Open>(
    members: &mut Map<String, Value>,
    name: &str,
) -> Result<T, Mismatch> {
    let Some(value) = members.remove(name) else {
        return T::absent().ok_or_else(|| Mismatch::new(format_args!("missing field `{name}`")));
    };
    T::open(value.clone()).or_else(|mismatch| {
        let absent = T::absent().ok_or_else(|| mismatch.within(name))?;
        members.insert(name.to_owned(), value);
        Ok(absent)
    })
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
