use std::ffi::{OsStr, OsString};

/// Arguments under construction: each is a flag, with its value behind `=` if it has one.
pub(super) struct Argv(Vec<OsString>);

impl Argv {
    /// What every session needs: JSON lines in both directions.
    pub(super) fn new() -> Self {
        let mut argv = Self(Vec::new());
        argv.value("output-format", "stream-json");
        argv.switch("verbose");
        argv.value("input-format", "stream-json");
        argv
    }

    /// Adds `--flag`.
    pub(super) fn switch(&mut self, flag: &str) {
        self.0.push(format!("--{flag}").into());
    }

    /// Adds `--flag` if it is wanted.
    pub(super) fn switch_if(&mut self, wanted: bool, flag: &str) {
        if wanted {
            self.switch(flag);
        }
    }

    /// Adds `--flag` unless it is there.
    pub(super) fn switch_once(&mut self, flag: &str) {
        self.switch_if(!self.has(flag), flag);
    }

    /// Adds `--flag=value`.
    pub(super) fn value(&mut self, flag: &str, value: impl AsRef<OsStr>) {
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        self.0.push(argument);
    }

    /// Adds `--flag=value` if there is a value.
    pub(super) fn value_if(&mut self, flag: &str, value: Option<impl AsRef<OsStr>>) {
        if let Some(value) = value {
            self.value(flag, value);
        }
    }

    /// Adds `--flag=value` for each value.
    pub(super) fn values<V: AsRef<OsStr>>(
        &mut self,
        flag: &str,
        values: impl IntoIterator<Item = V>,
    ) {
        for value in values {
            self.value(flag, value);
        }
    }

    /// Whether there is an argument for this flag.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags().any(|known| known == flag)
    }

    /// The names of the flags, one for each argument.
    fn flags(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|argument| {
            let argument = argument.to_string_lossy();
            let flag = argument.trim_start_matches("--");
            flag.split('=').next().unwrap_or_default().to_owned()
        })
    }

    pub(super) fn into_args(self) -> Vec<OsString> {
        self.0
    }
}
