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

const FILE: &str = "archived.json";

/// Largest mark that is read.
const MAX_SIZE: usize = 4096;

/// Returns the time at which a session was archived; `None` if it is not.
pub(super) fn archived_at(dir: &Path) -> Option<SystemTime> {
    #[derive(Deserialize)]
    struct Mark {
        archived: bool,
        at: String,
    }
    let json = fs::read(dir.join(FILE)).ok()?;
    if json.len() > MAX_SIZE {
        return None;
    }
    let mark: Mark = serde_json::from_slice(&json).ok()?;
    let at = humantime::parse_rfc3339(&mark.at).ok()?;
    mark.archived.then_some(at)
}

/// Writes the mark beside a transcript, and replaces an earlier one at once.
pub(super) fn write(found: &Found, archived: bool) -> Result<()> {
    let dir = found.session_dir();
    let at = humantime::format_rfc3339_millis(SystemTime::now());
    let json = format!("{{\"archived\":{archived},\"at\":\"{at}\",\"by\":\"sdk\"}}");
    let written = create_private_dir(&dir).and_then(|()| {
        let mut file = NamedTempFile::new_in(&dir)?;
        file.write_all(json.as_bytes())?;
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
