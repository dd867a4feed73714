//! Types that stay open: what a newer CLI adds is kept, never an error.
//!
//! Everything that travels on the wire is built from three shapes, each with a macro of its own:
//!
//! | shape | macro | what it keeps |
//! |---|---|---|
//! | an object | `open_struct!` | unknown members, and which known ones were `null`, in [`Extra`] |
//! | a string out of a set | `open_enum!` | an unknown value, in the variant `Unknown(String)` |
//! | an object told apart by a tag | `open_union!` | an unknown or misshapen one, in [`Unknown`] |
//!
//! Each is decoded in one of two ways. The fast way is one pass over the text, which fails at the
//! first surprise. Then the patient way takes over: it goes through the parsed value and puts every
//! optional member that has the wrong shape into [`Extra`], so that one renamed field costs that
//! field and not the message. `Deserialize` goes the patient way, whatever the format.

mod choice;
mod extra;
mod lenient;
mod reader;
mod record;
mod unescape;
mod union;
mod unknown;

pub use self::extra::Extra;
pub use self::lenient::Mismatch;
pub use self::unknown::Unknown;

pub(crate) use self::choice::open_enum;
pub(crate) use self::lenient::{Open, decode, object};
pub(crate) use self::reader::Reader;
pub(crate) use self::record::open_struct;
pub(crate) use self::union::open_union;

/// What the macros expand to; not for use by hand.
pub(crate) mod expand {
    pub(crate) use super::lenient::deserialize;
    pub(crate) use super::record::{IfOptional, IfRequired, Probe, Seen, open_member};
    pub(crate) use super::union::tag_of;
}
