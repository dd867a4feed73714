/// How much is kept of what the host has not read yet.
///
/// The CLI is read at once, whether the host reads its messages or not: otherwise a host that looks
/// away would stall its own tools and control requests. Messages that nobody has read yet are kept
/// as the lines that they came in. When these lines take more memory than the limit together, new
/// messages are dropped, except for results; one `Message::Gap` stands where each run of dropped
/// messages would have been. So a host that falls behind knows it, and still sees every turn end.
/// A message that is the only one is kept whatever its size: a host that keeps up loses nothing.
///
/// The limit is 256 MiB unless set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    limit: Option<usize>,
}

impl Backlog {
    /// Keeps this many bytes of lines.
    ///
    /// What counts is the memory that a line holds: its own length, and for a long line up to twice
    /// that, because it stays in the buffer that it was read into. The queue itself adds about 50
    /// bytes for each line.
    #[must_use]
    pub const fn bytes(limit: usize) -> Self {
        Self { limit: Some(limit) }
    }

    /// Keeps everything, whatever memory it takes.
    #[must_use]
    pub const fn unbounded() -> Self {
        Self { limit: None }
    }

    /// The limit in bytes, if there is one.
    #[must_use]
    pub const fn limit(self) -> Option<usize> {
        self.limit
    }
}

impl Default for Backlog {
    fn default() -> Self {
        Self::bytes(256 * 1024 * 1024)
    }
}
