use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use inhouse_store::{Position, SessionKey, StreamKey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::queue::Queue;
use super::sessions::MirroredSessions;

/// The end of the name of a file with entries that are not stored.
const UNSENT: &str = ".unsent.jsonl";

/// Returns the path of the file with entries that are not stored: beside the directory of their session.
///
/// The CLI writes to that directory, and so do the commands that it runs. The file decides which sessions are written later.
pub(crate) fn unsent_path(directory: &Path) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(UNSENT);
    directory.with_file_name(name)
}

/// Returns the project that the unsent entries of a session directory belong to; `None` if there are none, or their file is incomplete.
pub(crate) fn unsent_project(directory: &Path) -> Option<String> {
    let mut header = String::new();
    let file = File::open(unsent_path(directory)).ok()?;
    BufReader::new(file).read_line(&mut header).ok()?;
    let header: Header = serde_json::from_str(&header).ok()?;
    Some(header.project)
}

/// Returns the directory of a session whose unsent entries are in a file of this name.
pub(crate) fn directory_of_unsent(name: &str) -> Option<&str> {
    name.strip_suffix(UNSENT)
}

/// Entries of one stream, in order, that are not stored.
pub(super) struct UnsentEntries {
    pub(super) stream: StreamKey,
    pub(super) entries: Vec<Bytes>,
}

/// Entries that could not be stored, in a file.
pub(super) struct Unsent {
    /// The positions of the next entries. A stream that is not here begins with them.
    ends: HashMap<StreamKey, Position>,
    sessions: MirroredSessions,
    /// Whether a result counts only after a step of the caller, which has not run for those in the queue.
    has_step: bool,
    /// `None` before the file is created, and after a failed write: the entries behind those that are missing cannot be stored.
    file: Option<File>,
}

/// The first line of the file: the sessions that the host owned.
#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) project: String,
    pub(super) sessions: Vec<OwnedSession>,
}

/// A session that the host owned.
#[derive(Serialize, Deserialize)]
pub(super) struct OwnedSession {
    pub(super) session: String,
    /// The end of its main stream in the store.
    pub(super) end: u64,
}

/// Another line of the file: an entry and where it belongs.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) session: String,
    pub(super) subpath: Option<String>,
    pub(super) position: u64,
    pub(super) entry: Box<RawValue>,
}

impl Unsent {
    pub(super) fn new(
        ends: HashMap<StreamKey, Position>,
        sessions: MirroredSessions,
        has_step: bool,
    ) -> Self {
        Self {
            ends,
            sessions,
            has_step,
            file: None,
        }
    }

    /// Creates the file, which only this user can read. `owned` are the sessions that this host owned.
    ///
    /// # Errors
    /// If the file cannot be written. Nothing can be added to it then.
    pub(super) fn create(
        &mut self,
        path: &Path,
        owned: &[SessionKey],
        unsent: Vec<UnsentEntries>,
    ) -> io::Result<()> {
        let mut options = File::options();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let sessions = owned.iter().map(|session| OwnedSession {
            session: session.session().to_owned(),
            end: self.ends.get(&session.main()).map_or(0, |end| end.get()),
        });
        let header = Header {
            project: self.sessions.current().project().as_str().to_owned(),
            sessions: sessions.collect(),
        };
        let mut text = serde_json::to_vec(&header)?;
        text.push(b'\n');
        if let Err(error) = append(&file, &text) {
            // Without its first line it would only keep the session from being opened.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        self.file = Some(file);
        self.add(unsent)
    }

    /// Adds everything that is left in the queue, without results that do not count.
    pub(super) async fn add_all(&mut self, queue: &mut Queue) -> io::Result<()> {
        while !queue.is_empty() {
            let batch = queue.take().await?;
            for frame in batch.frames {
                self.add(vec![UnsentEntries {
                    stream: frame.stream,
                    entries: frame.entries,
                }])?;
            }
            if !self.has_step {
                let records = self.sessions.records(batch.results);
                self.add(records)?;
            }
        }
        Ok(())
    }

    /// Adds all of these entries or, after an error, neither these nor later ones.
    fn add(&mut self, unsent: Vec<UnsentEntries>) -> io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let lines = self.lines(unsent)?;
        append(&file, &lines)?;
        self.file = Some(file);
        Ok(())
    }

    fn lines(&mut self, unsent: Vec<UnsentEntries>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for UnsentEntries { stream, entries } in unsent {
            let end = self.ends.entry(stream.clone()).or_default();
            if stream.is_main() {
                self.sessions.note(stream.session(), *end, &entries);
            }
            for entry in entries {
                let line = Line {
                    session: stream.session().session().to_owned(),
                    subpath: stream.subpath().map(str::to_owned),
                    position: end.get(),
                    entry: RawValue::from_string(String::from_utf8_lossy(&entry).into_owned())?,
                };
                serde_json::to_writer(&mut text, &line)?;
                text.push(b'\n');
                *end = end.after(1);
            }
        }
        Ok(text)
    }
}

/// Appends lines to a file: all of them or, after an error, none.
fn append(mut file: &File, lines: &[u8]) -> io::Result<()> {
    let length = file.metadata()?.len();
    let written = file.write_all(lines).and_then(|()| file.sync_all());
    if written.is_err() {
        // A disk that is full takes a part of a line. If that cannot be removed, it is the last line, which `recover` ignores.
        let _ = file.set_len(length);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_added_behind_a_failed_write() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.unsent.jsonl");
        let session = SessionKey::new("p", "s").unwrap();
        let sessions = MirroredSessions::new(session.clone(), None);
        let mut unsent = Unsent::new(HashMap::new(), sessions, false);
        let entry = || {
            vec![UnsentEntries {
                stream: session.main(),
                entries: vec![Bytes::from_static(b"{}")],
            }]
        };
        unsent
            .create(&path, std::slice::from_ref(&session), entry())
            .unwrap();
        let before = std::fs::read(&path).unwrap();

        let writable = unsent.file.replace(File::open(&path).unwrap());
        unsent.add(entry()).unwrap_err();
        assert!(unsent.file.is_none());
        unsent.add(entry()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);

        // An entry that cannot be written takes a position all the same.
        unsent.file = writable;
        let mut invalid = entry();
        invalid[0].entries = vec![Bytes::from_static(b"{")];
        unsent.add(invalid).unwrap_err();
        assert!(unsent.file.is_none());
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn full_disk_fails_a_write() {
        let full = File::options().append(true).open("/dev/full").unwrap();
        let error = append(&full, b"{}\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
