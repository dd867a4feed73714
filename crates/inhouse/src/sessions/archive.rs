//! The mark of an archived session: the file `archived.json` in its directory.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use serde::Deserialize;
use tempfile::NamedTempFile;

use super::blocking::file_error;
use super::location::Found;
use crate::error::Result;

/// The name of the file in the directory of the session.
pub(super) const FILE: &str = "archived.json";

/// Largest mark that is read.
const MAX_SIZE: usize = 4096;

/// Returns the time at which a session was archived, from its mark; `None` if it is not.
pub(super) fn archived_at(mark: &[u8]) -> Option<SystemTime> {
    #[derive(Deserialize)]
    struct Mark {
        archived: bool,
        at: String,
    }
    if mark.len() > MAX_SIZE {
        return None;
    }
    let mark: Mark = serde_json::from_slice(mark).ok()?;
    let at = humantime::parse_rfc3339(&mark.at).ok()?;
    mark.archived.then_some(at)
}

/// Reads the mark in the directory of a session.
pub(super) fn read(dir: &Path) -> Option<Vec<u8>> {
    fs::read(dir.join(FILE)).ok()
}

/// Returns the mark that archives a session now, or takes it out of the archive.
pub(super) fn mark(archived: bool) -> String {
    let at = humantime::format_rfc3339_millis(SystemTime::now());
    format!("{{\"archived\":{archived},\"at\":\"{at}\",\"by\":\"sdk\"}}")
}

/// Writes the mark beside a transcript, and replaces an earlier one at once.
pub(super) fn write(found: &Found, archived: bool) -> Result<()> {
    let dir = found.session_dir();
    let written = create_private_dir(&dir).and_then(|()| {
        let mut file = NamedTempFile::new_in(&dir)?;
        file.write_all(mark(archived).as_bytes())?;
        file.persist(dir.join(FILE))?;
        Ok(())
    });
    written.map_err(|error| file_error("write", &dir.join(FILE), error))
}

/// Creates a directory and its parents, readable only by the user; an existing one is left as it is.
pub(super) fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
