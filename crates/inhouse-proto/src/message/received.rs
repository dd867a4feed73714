use std::fmt;
use std::ops::Deref;

use serde::de::DeserializeOwned;

use crate::open;
use crate::wire::Text;

/// A decoded message, together with the line that it was decoded from.
///
/// Dereferences to the message. The line is kept byte for byte, so unknown members are never lost.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::message::Message;
///
/// let line = r#"{"type":"auth_status","isAuthenticating":true,"added_later":1}"#;
/// let Message::AuthStatus(status) = Message::decode(line.as_bytes())? else { unreachable!() };
/// assert!(status.is_authenticating);
/// assert_eq!(status.raw(), line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Received<T> {
    line: Text,
    // Boxed to keep `Message` small, because messages are moved and queued often.
    message: Box<T>,
}

impl<T> Received<T> {
    pub(super) fn new(line: Text, message: T) -> Self {
        Self {
            line,
            message: Box::new(message),
        }
    }

    /// Returns the line as the CLI wrote it.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.line
    }

    /// Returns the message without its line.
    #[must_use]
    pub fn into_inner(self) -> T {
        *self.message
    }
}

impl<T: DeserializeOwned> Received<T> {
    pub(super) fn decode(line: &Text) -> serde_json::Result<Self> {
        open::decode(line).map(|message| Self::new(line.clone(), message))
    }
}

/// Formats only the message, because the line contains the same data.
impl<T: fmt::Debug> fmt::Debug for Received<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl<T> Deref for Received<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.message
    }
}

/// Implements decoding and `raw` for an enum whose variants hold a [`Received`] message each, by their tags.
macro_rules! received_variants {
    ($name:ident { $( $tag:literal => $variant:ident, )* }) => {
        impl $name {
            /// Decodes a line by its tag; `None` if the tag is unknown.
            pub(in crate::message) fn decode_tagged(
                tag: &str,
                line: &$crate::wire::Text,
            ) -> Option<serde_json::Result<Self>> {
                Some(match tag {
                    $( $tag => $crate::message::Received::decode(line).map(Self::$variant), )*
                    _ => return None,
                })
            }

            /// Returns the line of a message that was decoded by its tag.
            pub(in crate::message) fn received_line(&self) -> &str {
                match self {
                    $( Self::$variant(message) => message.raw(), )*
                    #[allow(unreachable_patterns, reason = "only some enums have further variants")]
                    _ => "",
                }
            }
        }
    };
}

pub(super) use received_variants;
