use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// The id of a session: a UUID in the form with hyphens.
///
/// The id is the name of the session's transcript. A value of this type holds only hexadecimal digits and hyphens, so
/// it is safe as a part of a path.
///
/// ```
/// use inhouse_proto::session::SessionId;
///
/// let id: SessionId = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11".parse()?;
/// assert_eq!(id.as_str().len(), 36);
/// assert!("../secrets".parse::<SessionId>().is_err());
/// # Ok::<(), inhouse_proto::session::InvalidSessionId>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Box<str>);

impl SessionId {
    /// Creates the id from the bits of a UUID.
    #[must_use]
    pub fn from_u128(bits: u128) -> Self {
        Self(uuid_text(bits).into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    /// Checks that the text is a UUID with hyphens, of any version and in any case.
    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        match parse_uuid(text) {
            Some(_) => Ok(Self(text.into())),
            None => Err(InvalidSessionId {}),
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Deref for SessionId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SessionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0.into()
    }
}

impl From<&SessionId> for String {
    fn from(id: &SessionId) -> Self {
        id.0.as_ref().into()
    }
}

/// The error of a text that is not a session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidSessionId {}

impl fmt::Display for InvalidSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session id is a UUID such as 00000000-0000-0000-0000-000000000000")
    }
}

impl std::error::Error for InvalidSessionId {}

/// Returns the bits of a UUID in the form with hyphens; `None` for any other text.
pub(super) fn parse_uuid(text: &str) -> Option<u128> {
    if text.len() != 36 {
        return None;
    }
    text.bytes().enumerate().try_fold(0, |bits, (at, byte)| {
        if matches!(at, 8 | 13 | 18 | 23) {
            return (byte == b'-').then_some(bits);
        }
        let digit = char::from(byte).to_digit(16)?;
        Some(bits << 4 | u128::from(digit))
    })
}

/// Formats the bits of a UUID in lower case, with hyphens.
pub(super) fn uuid_text(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    format!("{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_is_parsed_in_any_case_and_version() {
        for text in [
            "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11",
            "0B9C6F6E-7A46-0F0C-FD5E-3F6F1F1C2A11",
            "00000000-0000-0000-0000-000000000000",
        ] {
            let bits = parse_uuid(text).unwrap();
            assert_eq!(uuid_text(bits), text.to_lowercase());
        }
    }

    #[test]
    fn other_text_is_not_a_session_id() {
        for text in [
            "",
            "../../../etc/passwd",
            "0b9c6f6e7a464f0c9d5e3f6f1f1c2a11",
            "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a1",
            "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a111",
            "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a1/",
            "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2aé",
            "0b9c6f6e/7a46-4f0c-9d5e-3f6f1f1c2a11",
        ] {
            assert_eq!(
                text.parse::<SessionId>(),
                Err(InvalidSessionId {}),
                "{text}"
            );
        }
    }
}
