use serde::{Serialize, Serializer};

/// What becomes of a setting: the wire tells absent, `null` and a value apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays as it is: the member is absent.
    #[default]
    Keep,
    /// It goes back to what it was at the start: the member is `null`.
    Reset,
    /// It becomes this value.
    Set(T),
}

impl<T> Change<T> {
    /// Whether the member is absent.
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
            // Whoever holds a `Change` leaves the member out while it is `Keep`.
            Self::Keep | Self::Reset => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}
