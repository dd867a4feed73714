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
///
/// Members stand in the order in which the CLI writes them, as far as that is known: any other order is
/// read as well, and more slowly.
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
                fn blank() -> Self {
                    Self {
                        $( $field: $crate::open::Open::blank(), )*
                        extra: $crate::open::Extra::default(),
                    }
                }

                fn fill(&mut self, reader: &mut $crate::open::Reader<'_>) -> Option<()> {
                    #[allow(unused_mut, unused_variables)]
                    let mut seen = $crate::open::expand::Seen::default();
                    if reader.begin(b'{', b'}')? {
                        // Each time around, the members that stand in the order of the type are read.
                        loop {
                            let start = reader.place();
                            $( $( if reader.keyed(concat!("\"", $tag, "\":")) {
                                reader.constant($value)?;
                                if !reader.another(b'}')? {
                                    break;
                                }
                            } )* )?
                            $( if reader.keyed($crate::open::open_struct!(@key $field $($wire)?)) {
                                seen.first(Slot::$field as u8)?;
                                if reader.peek()? == b'n' {
                                    self.extra.mark_null(Slot::$field as u8);
                                }
                                $crate::open::Open::fill(&mut self.$field, reader)?;
                                if !reader.another(b'}')? {
                                    break;
                                }
                            } )*
                            // No member of the type came next: this one is unknown.
                            if reader.place() == start {
                                let name = reader.other_name()?;
                                self.extra.insert(name, reader.parse()?);
                                if !reader.another(b'}')? {
                                    break;
                                }
                            }
                        }
                    }
                    $( if !<$ty as $crate::open::Open>::OPTIONAL {
                        seen.at_all(Slot::$field as u8)?;
                    } )*
                    Some(())
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
    (@key $field:ident $wire:literal) => { concat!("\"", $wire, "\":") };
    (@key $field:ident) => { concat!("\"", stringify!($field), "\":") };
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
        return match T::OPTIONAL {
            true => Ok(T::blank()),
            false => Err(Mismatch::new(format_args!("missing field `{name}`"))),
        };
    };
    match T::open(value.clone()) {
        Err(_) if T::OPTIONAL => {
            members.insert(name.to_owned(), value);
            Ok(T::blank())
        }
        typed => typed.map_err(|mismatch| mismatch.within(name)),
    }
}

/// The members of an object that have been seen.
#[derive(Default)]
pub(crate) struct Seen(u64);

impl Seen {
    /// Takes note of a member; `None` when it was there before, because then the last one counts.
    #[inline]
    pub(crate) fn first(&mut self, slot: u8) -> Option<()> {
        let before = self.0;
        self.0 |= 1 << slot;
        (self.0 != before).then_some(())
    }

    /// Checks that a member was there.
    #[inline]
    pub(crate) fn at_all(&self, slot: u8) -> Option<()> {
        (self.0 & (1 << slot) != 0).then_some(())
    }
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
