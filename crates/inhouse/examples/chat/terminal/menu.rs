/// A question with options.
pub(crate) struct Menu {
    pub(super) title: String,
    pub(super) details: Vec<String>,
    pub(super) options: Vec<(String, String)>,
    pub(super) several: bool,
    pub(super) own_words: Option<String>,
}

/// The choice of the user: indices of options, a text, or both.
#[derive(Default)]
pub(crate) struct Picked {
    pub(crate) options: Vec<usize>,
    pub(crate) words: String,
}

impl Menu {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            details: Vec::new(),
            options: Vec::new(),
            several: false,
            own_words: None,
        }
    }

    /// Adds a line between the question and the options.
    pub(crate) fn detail(mut self, text: impl Into<String>) -> Self {
        self.details.push(text.into());
        self
    }

    pub(crate) fn option(self, label: &str) -> Self {
        self.explained(label, "")
    }

    pub(crate) fn explained(mut self, label: &str, explanation: &str) -> Self {
        self.options
            .push((label.to_owned(), explanation.to_owned()));
        self
    }

    /// Sets whether several options may be picked.
    pub(crate) fn several(mut self, several: bool) -> Self {
        self.several = several;
        self
    }

    /// Adds a last option with a text field.
    pub(crate) fn own_words(mut self, label: &str) -> Self {
        self.own_words = Some(label.to_owned());
        self
    }
}
