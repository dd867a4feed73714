use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs, io};

use serde::{Deserialize, Serialize};

/// How a `fake-cli` process was started.
///
/// The program writes it to the file that [`VARIABLE`](Self::VARIABLE) names before anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaunchRecord {
    /// The id of the process.
    pub pid: u32,
    /// The arguments, without the program.
    pub args: Vec<String>,
    /// The names of the environment variables. Values are left out, because they may be secrets.
    pub env: BTreeSet<String>,
}

impl LaunchRecord {
    /// The environment variable with the path to write to.
    pub const VARIABLE: &str = "INHOUSE_FAKE_CLI_ARGV";

    /// Reads the record of a `fake-cli` process.
    ///
    /// # Errors
    /// If the file does not exist: no process was started, or it has not written it yet.
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

    /// Writes the record atomically.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the program is for Unix only"))]
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let partial = path.with_extension(format!("{}.part", self.pid));
        fs::write(&partial, serde_json::to_vec(self)?)?;
        fs::rename(partial, path)
    }
}
