use std::fmt;

/// Why a conversation did not go on as it should.
#[derive(Debug)]
pub(super) struct Failure {
    text: String,
    killed: bool,
}

impl Failure {
    pub(super) fn new(text: String) -> Self {
        Self {
            text,
            killed: false,
        }
    }

    /// The host has ended the CLI, which can say and hear no more.
    pub(super) fn killed(text: String) -> Self {
        Self { text, killed: true }
    }

    pub(super) fn is_killed(&self) -> bool {
        self.killed
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
