//! The first line of a recording.

use std::path::Path;

use anyhow::{Result, bail};
use serde::Deserialize;

/// The newest version of the format that the page reads.
const VERSION: u64 = 1;

#[derive(Deserialize)]
struct Header {
    inhouse_recording: u64,
}

/// Checks that a line is the header of a recording that the page can read.
///
/// # Errors
/// Returns an error that names the file and says what to do.
pub(crate) fn check(file: &Path, line: &[u8]) -> Result<()> {
    let Ok(Header { inhouse_recording }) = serde_json::from_slice(line) else {
        bail!(
            "{} is not a recording: its first line is not a header. Record a session with `Options::record(\"trace.jsonl\")`",
            file.display()
        );
    };
    if inhouse_recording > VERSION {
        bail!(
            "{} has version {inhouse_recording} of the format, and this program reads version {VERSION}. Update it: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli",
            file.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let file = Path::new("trace.jsonl");
        assert!(check(file, br#"{"inhouse_recording":1,"later":true}"#).is_ok());
        for (line, expected) in [
            (&br#"{"inhouse_recording":2}"#[..], "Update it"),
            (br#"{"type":"user"}"#, "Options::record"),
            (b"", "Options::record"),
        ] {
            let error = check(file, line).unwrap_err().to_string();
            assert!(
                error.starts_with("trace.jsonl") && error.contains(expected),
                "{error}"
            );
        }
    }
}
