use std::io::{self, Write as _};

use serde_json::Value;
use tempfile::TempPath;

use super::secrets;
use crate::error::{Error, Result};
use crate::options::OsUser;

/// The maximum length of a value on the command line: Linux allows 128 KiB for one argument.
pub(super) const MAX_INLINE: usize = 100 * 1024;

/// Temporary files for values that are too long for a command line, or secret. Removed on drop.
#[derive(Debug)]
pub(super) struct PrivateFiles {
    #[cfg_attr(not(unix), expect(dead_code, reason = "files have no owner there"))]
    owner: Option<OsUser>,
    paths: Vec<TempPath>,
}

impl PrivateFiles {
    /// Creates an empty set of files that `owner` can read; `None` is the user of the host.
    pub(super) fn new(owner: Option<OsUser>) -> Self {
        Self {
            owner,
            paths: Vec::new(),
        }
    }

    /// Returns the JSON text of a value, or the path of a file that contains it if the text is too
    /// long or contains a secret.
    pub(super) fn inline_or_path(&mut self, flag: &str, value: &Value) -> Result<String> {
        let text = value.to_string();
        if text.len() <= MAX_INLINE && !secrets::present_in(value) {
            return Ok(text);
        }
        let path = self.write(&text).map_err(|error| {
            Error::config(format!(
                "the value of --{flag} ({} bytes) is too long for a command line or contains a \
                 secret, and could not be written to a temporary file; check the directory for \
                 temporary files",
                text.len()
            ))
            .with_source(error)
        })?;
        let shown = path.to_str().map(str::to_owned);
        self.paths.push(path);
        shown.ok_or_else(|| {
            Error::config("the path of the directory for temporary files is not Unicode")
        })
    }

    fn write(&self, text: &str) -> io::Result<TempPath> {
        // `tempfile` creates files with mode 0600.
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
