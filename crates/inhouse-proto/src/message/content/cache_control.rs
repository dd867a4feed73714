use inhouse_macros::Open;
use serde::Serialize;

/// Marks the end of a part of the prompt that the API may cache.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CacheControl {
    /// The kind of cache.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<CacheKind>,
    /// Lifetime of the cache entry; five minutes if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<CacheTtl>,
}

impl CacheControl {
    /// Creates an ephemeral cache marker, the only existing kind, with the API's default lifetime.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            kind: Some(CacheKind::Ephemeral),
            ttl: None,
        }
    }

    /// Sets the lifetime of the cache entry.
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
    /// The cache entry is discarded after its lifetime.
    Ephemeral,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Lifetime of a cache entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum CacheTtl {
    /// The entry is kept for five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// The entry is kept for one hour.
    #[serde(rename = "1h")]
    OneHour,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
