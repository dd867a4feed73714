use std::ffi::OsStr;

use crate::error::{Error, Result};

/// What is wrong, each with what to do about it.
#[derive(Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    pub(super) fn add_if(&mut self, wrong: bool, problem: impl Into<String>) {
        if wrong {
            self.add(problem);
        }
    }

    /// Reports a value of this option that is empty.
    pub(super) fn not_empty(&mut self, option: &str, value: impl AsRef<OsStr>) {
        let empty = value.as_ref().is_empty();
        self.add_if(
            empty,
            format!("an empty value for `{option}`; leave the option away instead"),
        );
    }

    pub(super) fn into_result(self) -> Result<()> {
        match self.0.as_slice() {
            [] => Ok(()),
            [only] => Err(Error::config(only)),
            several => Err(Error::config(format!(
                "{} problems with the options:\n- {}",
                several.len(),
                several.join("\n- ")
            ))),
        }
    }
}
