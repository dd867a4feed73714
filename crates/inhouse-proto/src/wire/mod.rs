//! From bytes to lines, from lines to envelopes, and back.

mod encode;
mod envelope;
mod escape;
mod line;
mod long_text;
mod skim;
mod surrogate;
mod text;
mod words;

pub use self::line::{Line, Lines};
pub use self::text::Text;

pub(crate) use self::encode::{Outgoing, in_one_line};
pub(crate) use self::envelope::{Envelope, Reply};
pub(crate) use self::escape::write_string;
pub(crate) use self::line::sample_of;
pub(crate) use self::long_text::LongText;
pub(crate) use self::skim::{Skim, string_member};
pub(crate) use self::surrogate::replace_lone_surrogates;
