//! Titles, tags and deletion.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use inhouse_proto::session::{SessionId, sanitize_tag, tag_entry, title_entry};

use super::blocking::file_error;
use super::location::{Found, is_absent};
use super::transcript::open_with;
use crate::error::{Error, Result};

/// An entry that is appended to a transcript.
pub(super) enum Change {
    Title(String),
    /// A tag; empty to remove it.
    Tag(String),
}

impl Change {
    /// Returns the entry for the transcript of a session.
    pub(super) fn entry(&self, id: &SessionId) -> String {
        match self {
            Self::Title(title) => title_entry(id, title),
            Self::Tag(tag) => tag_entry(id, tag),
        }
    }
}

/// # Errors
/// `Config` if the title is empty.
pub(super) fn title(title: &str) -> Result<Change> {
    match title.trim() {
        "" => Err(Error::config("the title of a session must not be empty")),
        title => Ok(Change::Title(title.to_owned())),
    }
}

/// # Errors
/// `Config` if nothing is left of the tag without invisible characters.
pub(super) fn tag(tag: &str) -> Result<Change> {
    sanitize_tag(tag).map(Change::Tag).ok_or_else(|| {
        Error::config(
            "the tag of a session must have a visible character; `Sessions::untag` removes a tag",
        )
    })
}

/// Appends the entry of a change to a transcript.
pub(super) fn append(found: &Found, change: &Change) -> Result<()> {
    append_line(&found.transcript, &change.entry(&found.id))
        .map_err(|error| file_error("append to", &found.transcript, error))
}

/// Deletes the directory of a session, then its transcript.
pub(super) fn delete(found: &Found) -> Result<()> {
    let dir = found.session_dir();
    match fs::remove_dir_all(&dir) {
        Ok(()) => {}
        Err(error) if is_absent(&error) => {}
        Err(error) => return Err(file_error("delete", &dir, error)),
    }
    fs::remove_file(&found.transcript)
        .map_err(|error| file_error("delete", &found.transcript, error))
}

/// Appends a line in a single write, so that a CLI that appends at the same time cannot split it.
fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = open_with(OpenOptions::new().read(true).append(true), path)?;
    let mut text = String::with_capacity(line.len() + 2);
    // A CLI that was killed may have left half a line, which must not swallow this one.
    if !ends_with_line_break(&mut file)? {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn ends_with_line_break(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let mut last = [b'\n'];
    match file.seek(SeekFrom::End(-1)) {
        Ok(_) => file.read_exact(&mut last)?,
        // An empty file has no byte before its end.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
        Err(error) => return Err(error),
    }
    Ok(last == [b'\n'])
}
