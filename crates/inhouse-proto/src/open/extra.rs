use std::fmt;

use serde_json::{Map, Value};

/// Members of an object that its type does not name.
///
/// A newer CLI may send members that this version does not know; they are kept here and written
/// back when the object is encoded. A known optional member whose value has an unexpected shape is
/// kept here too, under its wire name.
///
/// ```
/// use inhouse_proto::message::TextBlock;
///
/// let block: TextBlock = serde_json::from_str(r#"{"text": "hi", "mood": "calm"}"#)?;
/// assert_eq!(block.extra.get("mood").unwrap(), "calm");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Extra {
    // Boxed because it is nearly always absent and sits in every object.
    members: Option<Box<Map<String, Value>>>,
    // One bit for each known member that was present as `null`: absent and `null` are different on
    // the wire, and `Option` alone would forget which it was.
    nulls: u64,
}

impl Extra {
    /// The value of an unknown member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.as_ref()?.get(name)
    }

    /// Adds a member, and returns the value that stood in its place.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) -> Option<Value> {
        self.members
            .get_or_insert_default()
            .insert(name.into(), value)
    }

    /// All unknown members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.members
            .iter()
            .flat_map(|members| members.iter())
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there are no unknown members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members
            .as_ref()
            .is_none_or(|members| members.is_empty())
    }

    pub(crate) fn from_members(members: Map<String, Value>) -> Self {
        Self {
            members: (!members.is_empty()).then(|| Box::new(members)),
            nulls: 0,
        }
    }

    pub(crate) fn mark_null(&mut self, slot: u8) {
        self.nulls |= 1 << slot;
    }

    pub(crate) fn was_null(&self, slot: u8) -> bool {
        self.nulls & (1 << slot) != 0
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
