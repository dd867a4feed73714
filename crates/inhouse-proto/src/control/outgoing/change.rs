use serde::{Serialize, Serializer};

/// Change to one setting of the session. On the wire, an absent member, `null` and a value have different meanings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The setting keeps its value: the member is absent.
    #[default]
    Keep,
    /// The setting returns to the value that it had at startup: the member is `null`.
    Reset,
    /// The setting changes to this value.
    Set(T),
}

impl<T> Change<T> {
    /// Returns whether the setting keeps its value, so that the member is left out.
    #[must_use]
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<T> From<Option<T>> for Change<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Reset, Self::Set)
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // A field of type `Change` is skipped by `skip_serializing_if` while it is `Keep`.
            Self::Keep | Self::Reset => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}
