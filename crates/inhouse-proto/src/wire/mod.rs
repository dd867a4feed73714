//! The wire format: splits bytes into lines, finds the members that route a line, and encodes lines for the CLI.

mod encode;
mod envelope;
mod escape;
mod line;
mod scanner;
mod surrogate;
mod swar;
mod text;

pub use self::line::{Line, Lines};
// For `inhouse`, whose handlers parse parts of a request.
#[doc(hidden)]
pub use self::surrogate::{parse_json, replace_lone_surrogates};
pub use self::text::Text;

pub(crate) use self::encode::{Outgoing, replace_line_breaks};
pub(crate) use self::envelope::{Envelope, Reply};
pub(crate) use self::escape::write_string;
pub(crate) use self::line::sample_of;
pub(crate) use self::scanner::{Scanner, string_member, unquote};
