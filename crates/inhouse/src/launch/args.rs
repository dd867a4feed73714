use std::ffi::{OsStr, OsString};

/// Arguments under construction: each is a flag, with its value after `=` if it has one.
pub(super) struct Args(Vec<OsString>);

impl Args {
    /// Creates the arguments that every session needs: JSON lines in both directions.
    pub(super) fn new() -> Self {
        let mut args = Self(Vec::new());
        args.value("output-format", "stream-json");
        args.switch("verbose");
        args.value("input-format", "stream-json");
        args
    }

    /// Adds the argument `--flag`.
    pub(super) fn switch(&mut self, flag: &str) {
        self.0.push(format!("--{flag}").into());
    }

    /// Adds `--flag` if `enabled`.
    pub(super) fn switch_if(&mut self, enabled: bool, flag: &str) {
        if enabled {
            self.switch(flag);
        }
    }

    /// Adds `--flag` unless it exists.
    pub(super) fn switch_once(&mut self, flag: &str) {
        self.switch_if(!self.has(flag), flag);
    }

    /// Adds the argument `--flag=value`.
    pub(super) fn value(&mut self, flag: &str, value: impl AsRef<OsStr>) {
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        self.0.push(argument);
    }

    /// Adds `--flag=value` for each value of a list or an option.
    pub(super) fn values<V: AsRef<OsStr>>(
        &mut self,
        flag: &str,
        values: impl IntoIterator<Item = V>,
    ) {
        for value in values {
            self.value(flag, value);
        }
    }

    /// Returns whether there is an argument for this flag.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|argument| {
            let argument = argument.to_string_lossy();
            let name = argument.split('=').next().unwrap_or_default();
            name.strip_prefix("--") == Some(flag)
        })
    }

    pub(super) fn into_vec(self) -> Vec<OsString> {
        self.0
    }
}
