use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::open::{Extra, Mismatch};

/// The members of an object, each still as text.
///
/// The requests that carry a large value to somebody else (an MCP message, a hook's input) are
/// taken apart this way: the large value is scanned once here and parsed once at its destination.
pub(super) struct Shallow<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Shallow<'a> {
    /// Removes a member.
    pub(super) fn take(&mut self, name: &str) -> Result<&'a RawValue, Mismatch> {
        let at = self
            .members
            .iter()
            .position(|(member, _)| member == name)
            .ok_or_else(|| Mismatch::new(format_args!("missing field `{name}`")))?;
        Ok(self.members.swap_remove(at).1)
    }

    /// Whether a member is there and `null`.
    pub(super) fn is_null(&self, name: &str) -> bool {
        let mut of_that_name = self.members.iter().filter(|(member, _)| member == name);
        of_that_name.any(|(_, value)| value.get() == "null")
    }

    /// Removes a member that must be a string.
    pub(super) fn take_string(&mut self, name: &str) -> Result<Cow<'a, str>, Mismatch> {
        text(self.take(name)?).map_err(|mismatch| mismatch.within(name))
    }

    /// Removes a member if it is there and a string.
    pub(super) fn take_optional_string(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let at = self.members.iter().position(|(member, _)| member == name)?;
        let value = text(self.members[at].1).ok()?;
        self.members.swap_remove(at);
        Some(value)
    }

    /// All members that are left.
    pub(super) fn into_extra(self) -> Result<Extra, Mismatch> {
        let mut extra = Extra::default();
        for (name, value) in self.members {
            let value = serde_json::from_str(value.get()).map_err(Mismatch::new)?;
            extra.insert(name, value);
        }
        Ok(extra)
    }
}

impl<'de> Deserialize<'de> for Shallow<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Shallow<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Text(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Shallow { members })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A string that is borrowed unless it has escapes, which `Cow` by itself does not try.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn text(value: &RawValue) -> Result<Cow<'_, str>, Mismatch> {
    serde_json::from_str(value.get())
        .map(|Text(text)| text)
        .map_err(Mismatch::new)
}
