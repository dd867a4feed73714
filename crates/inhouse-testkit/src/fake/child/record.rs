use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs, io};

use serde::{Deserialize, Serialize};

/// How a `fake-cli` was started; it writes this to the file that
/// [`VARIABLE`](Self::VARIABLE) names, before it does anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaunchRecord {
    /// Its process id.
    pub pid: u32,
    /// Its arguments, without the program.
    pub args: Vec<String>,
    /// The names of its environment variables. Values may be secrets, and stay where they are.
    pub env: BTreeSet<String>,
}

impl LaunchRecord {
    /// The environment variable in which `fake-cli` finds the path to write to.
    pub const VARIABLE: &str = "INHOUSE_FAKE_CLI_ARGV";

    /// Reads what a `fake-cli` has written.
    ///
    /// # Errors
    /// When the file is not there: none was started, or it is not that far yet.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }

    #[cfg_attr(not(unix), expect(dead_code, reason = "the program is for Unix only"))]
    pub(super) fn of_this_process() -> Self {
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        Self {
            pid: std::process::id(),
            args: env::args_os().skip(1).map(lossy).collect(),
            env: env::vars_os().map(|(name, _)| lossy(name)).collect(),
        }
    }

    /// Writes it so that a reader finds all of it or nothing.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the program is for Unix only"))]
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension(format!("{}.part", self.pid));
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(unfinished, path)
    }
}
