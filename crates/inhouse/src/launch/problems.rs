use std::ffi::OsStr;

use crate::error::{Error, Result};

/// Configuration errors, each with a remedy. If non-empty, connecting fails with `Config`.
#[derive(Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    pub(super) fn add_if(&mut self, invalid: bool, problem: impl Into<String>) {
        if invalid {
            self.add(problem);
        }
    }

    /// Reports an empty value of an option.
    pub(super) fn reject_empty(&mut self, option: &str, value: impl AsRef<OsStr>) {
        self.add_if(
            value.as_ref().is_empty(),
            format!("empty value for `{option}`; omit the option instead"),
        );
    }

    /// Reports each empty value of an option, which may be an `Option` or a list.
    pub(super) fn reject_empty_each<V: AsRef<OsStr>>(
        &mut self,
        option: &str,
        values: impl IntoIterator<Item = V>,
    ) {
        for value in values {
            self.reject_empty(option, value);
        }
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
