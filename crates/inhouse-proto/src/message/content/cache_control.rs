use inhouse_macros::Open;
use serde::Serialize;

/// Marks the end of a part of the prompt that the API may cache.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CacheControl {
    /// The kind of cache.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<CacheKind>,
    /// How long the entry lives; five minutes when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<CacheTtl>,
}

impl CacheControl {
    /// The one kind of cache that exists, with the lifetime that the API chooses.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            kind: Some(CacheKind::Ephemeral),
            ttl: None,
        }
    }

    /// Asks for a certain lifetime.
    #[must_use]
    pub fn ttl(mut self, ttl: CacheTtl) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// A kind of prompt cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CacheKind {
    /// Forgotten after its lifetime.
    Ephemeral,
    /// A value that this version does not know.
    Unknown(String),
}

/// How long a cache entry lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum CacheTtl {
    /// Five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// One hour.
    #[serde(rename = "1h")]
    OneHour,
    /// A value that this version does not know.
    Unknown(String),
}
