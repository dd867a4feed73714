//! A configuration directory with transcripts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use inhouse::sessions::Sessions;
use serde_json::json;
use tempfile::TempDir;

pub(crate) const ID: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";

/// Returns the text of a UUID.
pub(crate) fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

pub(crate) struct Disk {
    config: TempDir,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self {
            config: tempfile::tempdir().unwrap(),
        }
    }

    /// A disk with one session of one prompt and its answer.
    pub(crate) fn with_session() -> Self {
        let disk = Self::new();
        disk.write(
            ID,
            &[prompt(&id(1), "", "Hello"), answer(&id(2), &id(1), "Hi!")],
        );
        disk
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::new().config_dir(self.config.path())
    }

    pub(crate) fn config(&self) -> &Path {
        self.config.path()
    }

    /// Returns the directory of a project, which is created.
    pub(crate) fn project(&self, key: &str) -> PathBuf {
        let dir = self.config.path().join("projects").join(key);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    pub(crate) fn transcript(&self, id: &str) -> PathBuf {
        self.project("-app").join(format!("{id}.jsonl"))
    }

    pub(crate) fn session_dir(&self, id: &str) -> PathBuf {
        let dir = self.project("-app").join(id);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    /// Writes a transcript of the project `/app`.
    pub(crate) fn write(&self, id: &str, lines: &[String]) {
        self.write_bytes(id, (lines.join("\n") + "\n").as_bytes());
    }

    pub(crate) fn write_bytes(&self, id: &str, bytes: &[u8]) {
        fs::write(self.transcript(id), bytes).unwrap();
    }

    pub(crate) fn read(&self, id: &str) -> String {
        fs::read_to_string(self.transcript(id)).unwrap()
    }
}

/// Sets the modification time of a file.
pub(crate) fn set_modified(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

pub(crate) fn prompt(uuid: &str, parent: &str, text: &str) -> String {
    json!({
        "parentUuid": (!parent.is_empty()).then_some(parent),
        "isSidechain": false,
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": uuid,
        "timestamp": "2026-01-02T03:04:05.006Z",
        "cwd": "/app",
        "sessionId": ID,
        "gitBranch": "main",
    })
    .to_string()
}

pub(crate) fn answer(uuid: &str, parent: &str, text: &str) -> String {
    json!({
        "parentUuid": parent,
        "isSidechain": false,
        "type": "assistant",
        "message": {"id": format!("msg-{uuid}"), "role": "assistant", "content": [{"type": "text", "text": text}]},
        "uuid": uuid,
        "sessionId": ID,
    })
    .to_string()
}
