//! A conversation as data.

mod builder;
mod play;
mod step;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(super) use self::play::{Body, play};
pub use self::step::Step;

/// The CLI's side of a conversation as data, to be played in memory
/// ([`FakeCli::play_script`](super::FakeCli::play_script)) or by the program `fake-cli`, a real process.
///
/// After its last step a CLI does what the real one does: it waits for the end of input and exits with
/// code 0. A host that does not do its part fails the test in memory; the process writes what was
/// expected to stderr and exits with [`MISMATCH`](Self::MISMATCH).
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
    /// The environment variable in which `fake-cli` finds the path of its script.
    ///
    /// Its arguments are those of the CLI, and it takes any.
    pub const VARIABLE: &str = "INHOUSE_FAKE_CLI_SCRIPT";

    /// The exit code of `fake-cli` when the host does not do its part, or the script cannot be played.
    pub const MISMATCH: i32 = 70;

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The same without its last steps, so that `count` are left: to go on differently from there.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let steps = self.steps.iter().take(count).cloned().collect();
        Self { steps }
    }

    /// Writes it into a new file in `directory` and returns the path, for
    /// [`VARIABLE`](Self::VARIABLE).
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_to(&self, directory: &Path) -> io::Result<PathBuf> {
        let path = directory.join(format!("{}.json", Uuid::new_v4()));
        std::fs::write(&path, serde_json::to_vec(self)?)?;
        Ok(path)
    }

    /// Reads one that [`write_to`](Self::write_to) has written, or somebody by hand.
    ///
    /// # Errors
    /// When the file cannot be read or is no script.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
