use ratatui_core::text::Line;

/// A question with options. The last option is always a text field.
pub(crate) struct Menu {
    pub(super) title: String,
    pub(super) details: Vec<Line<'static>>,
    pub(super) options: Vec<(String, String)>,
    pub(super) several: bool,
    pub(super) own_words: String,
}

/// The choice of the user: indices of options, a text, or both.
#[derive(Default)]
pub(crate) struct Picked {
    pub(crate) options: Vec<usize>,
    pub(crate) words: String,
}

impl Menu {
    pub(crate) fn new(title: impl Into<String>, own_words: &str) -> Self {
        Self {
            title: title.into(),
            details: Vec::new(),
            options: Vec::new(),
            several: false,
            own_words: own_words.to_owned(),
        }
    }

    /// Sets the lines between the question and the options.
    pub(crate) fn details(mut self, lines: Vec<Line<'static>>) -> Self {
        self.details = lines;
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
}
