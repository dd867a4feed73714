use serde_json::{Value, json};

/// The token counts of one turn.
///
/// The CLI sums them into `usage`, the cost and the size of the context, so tests of budgets or of automatic compaction
/// set them.
///
/// ```
/// use inhouse_testkit::model::{Turn, Usage};
///
/// let nearly_full = Turn::new().text("…").usage(Usage::new(190_000, 20).cache_read(1_000));
/// # let _ = nearly_full;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_creation: u64,
}

impl Usage {
    /// Creates counts without use of the prompt cache.
    #[must_use]
    pub fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            cache_read: 0,
            cache_creation: 0,
        }
    }

    /// Sets the input tokens read from the prompt cache, in addition to the plain input.
    #[must_use]
    pub fn cache_read(mut self, tokens: u64) -> Self {
        self.cache_read = tokens;
        self
    }

    /// Sets the input tokens written to the prompt cache, in addition to the plain input.
    #[must_use]
    pub fn cache_creation(mut self, tokens: u64) -> Self {
        self.cache_creation = tokens;
        self
    }

    /// Returns the counts at the end of the message.
    pub(super) fn at_end(self) -> Value {
        self.with_output(self.output)
    }

    /// Returns the counts of `message_start`.
    pub(crate) fn at_start(self) -> Value {
        self.with_output(self.output.min(1))
    }

    fn with_output(self, output: u64) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": output,
        })
    }
}

impl Default for Usage {
    /// Returns 10 input tokens and 5 output tokens.
    fn default() -> Self {
        Self::new(10, 5)
    }
}
