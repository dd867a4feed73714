//! The CLI's side of a conversation as data.

mod builder;
mod play;
mod step;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(super) use self::play::{Process, play};
pub use self::step::Step;

/// The CLI's side of a conversation as data, played in memory
/// ([`FakeCli::play_script`](super::FakeCli::play_script)) or by the program `fake-cli`, a real process.
///
/// After its last step a CLI waits for the end of input and exits with code 0, like the real one. If the
/// host deviates from the script, the test fails in memory; the process writes what was expected to
/// stderr and exits with [`MISMATCH`](Self::MISMATCH).
///
/// ```
/// use inhouse_testkit::fake::Script;
///
/// let script = Script::new().accept().expect_prompt().turn("42").exit(0);
/// let json = serde_json::to_string(&script)?;
/// assert!(json.starts_with(r#"[{"step":"accept"},{"step":"expect_prompt"},"#));
/// assert_eq!(serde_json::from_str::<Script>(&json)?, script);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// The environment variable with the path of the script for `fake-cli`.
    ///
    /// The program ignores its arguments, which are those of the CLI.
    pub const VARIABLE: &str = "INHOUSE_FAKE_CLI_SCRIPT";

    /// The exit code of `fake-cli` if the host deviates from the script, or the script cannot be played.
    pub const MISMATCH: i32 = 70;

    /// Returns the steps in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns a script of the first `count` steps, to which others can be added.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let steps = self.steps.iter().take(count).cloned().collect();
        Self { steps }
    }

    /// Writes the script to a new file in `directory`; returns the path, for
    /// [`VARIABLE`](Self::VARIABLE).
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_to(&self, directory: &Path) -> io::Result<PathBuf> {
        let path = directory.join(format!("{}.json", Uuid::new_v4()));
        std::fs::write(&path, serde_json::to_vec(self)?)?;
        Ok(path)
    }

    /// Reads a script from a JSON file, as written by [`write_to`](Self::write_to).
    ///
    /// # Errors
    /// If the file cannot be read or is not a script.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
