use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::shallow::Shallow;
use crate::open::{Extra, Mismatch};

/// Something happened that a hook was registered for.
///
/// The answer is the hook's output; an empty object has no opinion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookCallback<'a> {
    /// One of the ids given in `initialize`.
    pub callback_id: Cow<'a, str>,
    /// What happened, told apart by its `hook_event_name`.
    pub input: &'a RawValue,
    /// The tool call that it is about. For events that are about none the CLI makes up an id; see
    /// [`call_of`](Self::call_of).
    pub tool_use_id: Option<Cow<'a, str>>,
    /// Members that this version does not name.
    pub extra: Extra,
}

/// Events that the CLI sends the id of a tool call with. With all others it makes one up.
const ABOUT_A_CALL: [&str; 4] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
];

impl<'a> HookCallback<'a> {
    /// The tool call, if an event of this name is about one.
    #[must_use]
    pub fn call_of(&self, event: &str) -> Option<&str> {
        let id = self.tool_use_id.as_deref();
        id.filter(|_| ABOUT_A_CALL.contains(&event))
    }

    pub(super) fn from_members(mut members: Shallow<'a>) -> Result<Self, Mismatch> {
        Ok(Self {
            callback_id: members.take_string("callback_id")?,
            input: members.take("input")?,
            tool_use_id: members.take_optional_string("tool_use_id"),
            extra: members.into_extra()?,
        })
    }
}

impl Serialize for HookCallback<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("subtype", "hook_callback")?;
        map.serialize_entry("callback_id", &self.callback_id)?;
        map.serialize_entry("input", self.input)?;
        if let Some(tool_use_id) = &self.tool_use_id {
            map.serialize_entry("tool_use_id", tool_use_id)?;
        }
        for (name, value) in self.extra.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
