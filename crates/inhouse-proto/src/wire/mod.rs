//! From bytes to lines, from lines to envelopes, and back.

mod encode;
mod envelope;
mod escape;
mod glance;
mod line;
mod long_text;
mod skim;
mod surrogate;
mod words;

pub use self::line::{Line, Lines};

pub(crate) use self::encode::{Outgoing, in_one_line};
pub(crate) use self::envelope::{Envelope, MessageText, Reply, RequestText};
pub(crate) use self::escape::write_string;
pub(crate) use self::glance::CallText;
pub(crate) use self::line::sample_of;
pub(crate) use self::long_text::LongText;
pub(crate) use self::skim::{Skim, escaped_length, unquote};
pub(crate) use self::surrogate::{UNIT, code_unit, mend};
pub(crate) use self::words::special_in;
