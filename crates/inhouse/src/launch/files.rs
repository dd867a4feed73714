//! The only place where a launch touches files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempPath;

use super::secrets;
use crate::error::{Error, Result};
use crate::options::OsUser;

/// What is longer does not go on a command line: Linux allows 128 KiB for one argument.
pub(super) const MAX_INLINE: usize = 100 * 1024;

/// Temporary files for values that are too long for a command line, or secret. Removed on drop.
#[derive(Debug)]
pub(super) struct PrivateFiles {
    owner: Option<OsUser>,
    paths: Vec<TempPath>,
}

impl PrivateFiles {
    /// No files yet; those to come are for `owner` to read, or for the host's own user.
    pub(super) fn new(owner: Option<OsUser>) -> Self {
        Self {
            owner,
            paths: Vec::new(),
        }
    }

    /// Returns the JSON text of a value if it may be an argument, else the path of a file with it.
    pub(super) fn inline_or_path(&mut self, flag: &str, value: &Value) -> Result<String> {
        let text = value.to_string();
        if text.len() <= MAX_INLINE && !secrets::present_in(value) {
            return Ok(text);
        }
        let path = self.write(&text).map_err(|error| {
            Error::config(format!(
                "the value of --{flag} is too long for a command line or holds a secret ({} bytes), \
                 and could not be written to a temporary file; check the directory for temporary \
                 files",
                text.len()
            ))
            .with_source(error)
        })?;
        let shown = path.to_str().map(str::to_owned);
        self.paths.push(path);
        shown.ok_or_else(|| {
            Error::config("the directory for temporary files has a name that is not Unicode")
        })
    }

    fn write(&self, text: &str) -> io::Result<TempPath> {
        // Readable by its owner only, which is how this crate creates files.
        let mut file = tempfile::Builder::new()
            .prefix("inhouse-")
            .suffix(".json")
            .tempfile()?;
        file.write_all(text.as_bytes())?;
        #[cfg(unix)]
        if let Some(owner) = self.owner {
            std::os::unix::fs::chown(file.path(), Some(owner.uid), Some(owner.gid))?;
        }
        Ok(file.into_temp_path())
    }
}

/// The text of a settings file, without a byte order mark.
pub(super) fn read_settings(path: &Path, cwd: Option<&Path>) -> Result<String> {
    let path = match cwd {
        Some(cwd) => cwd.join(path),
        None => PathBuf::from(path),
    };
    let text = fs::read_to_string(&path).map_err(|error| {
        Error::config(format!(
            "the settings file {} cannot be read, which a sandbox or a policy has to be merged \
             into; check `Options::settings`",
            path.display()
        ))
        .with_source(error)
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}
