use std::convert::Infallible;
use std::fmt;

/// Why a rule cannot be meant.
///
/// The text says what is wrong and how to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    flaw: String,
}

impl RuleError {
    /// The flaw reads after "the permission rule `…`".
    pub(super) fn new(rule: &str, flaw: impl Into<String>) -> Self {
        Self {
            rule: rule.to_owned(),
            flaw: flaw.into(),
        }
    }

    /// The same flaw of a rule as it was written.
    pub(super) fn about(mut self, rule: &str) -> Self {
        rule.clone_into(&mut self.rule);
        self
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the permission rule `{}` {}", self.rule, self.flaw)
    }
}

impl std::error::Error for RuleError {}

impl From<Infallible> for RuleError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
