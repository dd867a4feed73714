use serde_json::Value;

/// A prompt of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    line: Value,
}

impl Prompt {
    pub(super) fn new(line: Value) -> Self {
        Self { line }
    }

    /// Its text; blocks of text are joined, other blocks are left out.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.line["message"]["content"] {
            Value::String(text) => text.clone(),
            content => content
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|block| block["text"].as_str())
                .collect(),
        }
    }

    /// Its id, by which a result says what it answers.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.line["uuid"].as_str()
    }

    /// The whole line.
    #[must_use]
    pub fn line(&self) -> &Value {
        &self.line
    }
}
