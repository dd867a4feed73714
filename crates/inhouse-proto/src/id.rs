use std::fmt;

/// The id of a control request that the host sent.
///
/// On the wire the ids are `h1`, `h2`, and so on. They are short, and easy to distinguish from the ids of the CLI in a
/// log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(u64);

impl RequestId {
    pub(crate) fn first() -> Self {
        Self(1)
    }

    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        text.strip_prefix('h')?.parse().ok().map(Self)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "h{}", self.0)
    }
}
