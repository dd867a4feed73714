use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;

/// The name of this executable in a stage.
const CLI: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};

const SETTINGS: &str = "inhouse-replay.json";
const RECORDING: &str = "recording.jsonl";
const JOURNAL: &str = "journal.jsonl";

/// Created by the first session.
const CLAIM: &str = "session";

/// A temporary directory that the command and the process that plays the CLI share.
pub(super) struct Stage {
    directory: PathBuf,
    /// `None` in the process that plays the CLI.
    _owned: Option<TempDir>,
}

/// How the recording is played.
#[derive(Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) is_lenient: bool,
    pub(super) is_timed: bool,
    /// How long the program may write nothing.
    pub(super) patience: Duration,
}

/// A line of the journal.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// A session has begun.
    Session,
    /// The program differs from the recording.
    Difference(Value),
    /// The replay waits for this, or has ended for this reason.
    Status(String),
    /// The recording was played to its end.
    Complete,
}

/// The end of a journal to which entries are added.
pub(super) struct Journal(File);

impl Stage {
    /// Creates a stage for one run of the program.
    pub(super) fn create(recording: &Path, settings: &Settings) -> io::Result<Self> {
        let owned = TempDir::with_prefix("inhouse-replay-")?;
        let stage = Self {
            directory: owned.path().to_owned(),
            _owned: Some(owned),
        };
        // A copy, because the program may write to the file.
        fs::copy(recording, stage.path(RECORDING))?;
        fs::write(stage.path(SETTINGS), serde_json::to_vec(settings)?)?;
        link(&std::env::current_exe()?, &stage.cli())?;
        Ok(stage)
    }

    /// Returns the stage of which this process plays the CLI: its executable has the path [`cli`](Self::cli).
    pub(super) fn of_this_process() -> Option<Self> {
        // Not `current_exe`, which resolves the link.
        let program = PathBuf::from(std::env::args_os().next()?);
        if program.file_name()? != CLI {
            return None;
        }
        let stage = Self {
            directory: program.parent()?.to_owned(),
            _owned: None,
        };
        stage.path(SETTINGS).is_file().then_some(stage)
    }

    /// Returns the path of the program that plays the CLI.
    pub(super) fn cli(&self) -> PathBuf {
        self.path(CLI)
    }

    /// Returns the path of the copied recording.
    pub(super) fn recording(&self) -> PathBuf {
        self.path(RECORDING)
    }

    pub(super) fn settings(&self) -> io::Result<Settings> {
        Ok(serde_json::from_slice(&fs::read(self.path(SETTINGS))?)?)
    }

    /// Claims the recording for a session; returns whether it is the first one.
    pub(super) fn claim(&self) -> io::Result<bool> {
        match File::create_new(self.path(CLAIM)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Opens the journal to add entries.
    pub(super) fn open_journal(&self) -> io::Result<Journal> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        options.open(self.path(JOURNAL)).map(Journal)
    }

    /// Reads the journal. It has no last entry if the process was killed while it wrote one.
    pub(super) fn journal(&self) -> io::Result<Vec<Entry>> {
        let text = match fs::read_to_string(self.path(JOURNAL)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let entries = text.lines().map(serde_json::from_str);
        Ok(entries.map_while(Result::ok).collect())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl Journal {
    /// Adds an entry, with one write: two sessions may have the journal open.
    pub(super) fn add(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.0.write_all(&line)
    }
}

#[cfg(unix)]
fn link(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Copies the program, because a link needs a privilege.
#[cfg(not(unix))]
fn link(program: &Path, copy: &Path) -> io::Result<()> {
    fs::copy(program, copy).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage() -> (TempDir, Stage) {
        let directory = tempfile::tempdir().unwrap();
        let recording = directory.path().join("trace.jsonl");
        fs::write(&recording, "{}").unwrap();
        let settings = Settings {
            is_lenient: true,
            is_timed: false,
            patience: Duration::from_secs(1),
        };
        let stage = Stage::create(&recording, &settings).unwrap();
        (directory, stage)
    }

    #[test]
    fn recording_is_for_one_session() {
        let (_directory, stage) = stage();
        assert!(stage.claim().unwrap());
        assert!(!stage.claim().unwrap());
    }

    #[test]
    fn torn_entry_is_left_out_of_the_journal() {
        let (_directory, stage) = stage();
        assert_eq!(stage.journal().unwrap(), []);
        let mut journal = stage.open_journal().unwrap();
        journal.add(&Entry::Session).unwrap();
        journal.add(&Entry::Status("waits".to_owned())).unwrap();
        journal.0.write_all(b"{\"differ").unwrap();
        let entries = [Entry::Session, Entry::Status("waits".to_owned())];
        assert_eq!(stage.journal().unwrap(), entries);
    }
}
