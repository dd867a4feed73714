use crate::open::{Extra, open_enum, open_struct};

open_struct! {
    /// Marks the end of a part of the prompt that the API may cache.
    pub struct CacheControl {
        /// The kind of cache.
        pub kind as "type": Option<CacheKind>,
        /// How long the entry lives; five minutes when absent.
        pub ttl: Option<CacheTtl>,
    }
}

impl CacheControl {
    /// The one kind of cache that exists, with the lifetime that the API chooses.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            kind: Some(CacheKind::Ephemeral),
            ttl: None,
            extra: Extra::default(),
        }
    }

    /// Asks for a certain lifetime.
    #[must_use]
    pub fn ttl(mut self, ttl: CacheTtl) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

open_enum! {
    /// A kind of prompt cache.
    pub enum CacheKind {
        /// Forgotten after its lifetime.
        Ephemeral = "ephemeral",
    }
}

open_enum! {
    /// How long a cache entry lives.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}
