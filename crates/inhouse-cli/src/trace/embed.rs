//! The page, and the lines of a recording in it.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context as _, Result};

use super::header;
use crate::loopback::attribute;

/// The page without a recording. `cargo xtask page` builds it from `trace-page`.
const PAGE: &str = include_str!("page.html");

/// The place in the page at which the recording begins.
const PLACE: &str = "<script type=\"application/json\" id=\"recording\">";

/// The content of a page that was written.
#[derive(Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) events: u64,
    /// The number of the last line, if it has no end.
    pub(crate) torn: Option<u64>,
}

/// Writes the page with the recording in `file`.
///
/// # Errors
/// Returns an error if the file cannot be read or is not a recording.
pub(crate) fn write(file: &Path, page: &mut impl Write) -> Result<Written> {
    let reader = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    let mut reader = BufReader::new(reader);
    let (before, after) = parts();
    let mut line = Vec::new();
    let mut lines = 0u64;
    let mut torn = None;
    while reader
        .read_until(b'\n', &mut line)
        .with_context(|| format!("cannot read {}", file.display()))?
        > 0
    {
        lines += 1;
        if lines == 1 {
            header::check(file, &line)?;
            write!(page, "{before}{}", opening(file, ""))?;
        }
        if line.last() != Some(&b'\n') {
            torn = Some(lines);
            line.push(b'\n');
        }
        page.write_all(escaped(&String::from_utf8_lossy(&line)).as_bytes())?;
        line.clear();
    }
    if lines == 0 {
        header::check(file, b"")?;
    }
    page.write_all(after.as_bytes())?;
    // The torn line may be the header.
    let events = (lines - 1).saturating_sub(u64::from(torn.is_some()));
    Ok(Written { events, torn })
}

/// Returns the page that gets its lines from `address`.
pub(crate) fn following(file: &Path, address: &str) -> String {
    let (before, after) = parts();
    let follow = format!(" data-follow=\"{address}\"");
    format!("{before}{}{after}", opening(file, &follow))
}

fn parts() -> (&'static str, &'static str) {
    PAGE.split_once(PLACE)
        .expect("the page has a place for the recording")
}

/// Returns the opening tag with the name of the file.
fn opening(file: &Path, more: &str) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = attribute(&name);
    let tag = PLACE.trim_end_matches('>');
    format!("{tag} data-name=\"{name}\"{more}>\n")
}

/// Escapes what could end the element or begin a comment in it: in JSON, `<` occurs in strings only.
fn escaped(line: &str) -> String {
    line.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<(String, Written)> {
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("a\"<b.jsonl");
        std::fs::write(&file, text)?;
        let mut page = Vec::new();
        let written = write(&file, &mut page)?;
        Ok((String::from_utf8(page)?, written))
    }

    #[test]
    fn page_has_one_place_for_the_recording() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert!(PAGE.contains("Content-Security-Policy"));
    }

    #[test]
    fn lines_cannot_end_the_element() {
        let text = "{\"inhouse_recording\":1}\n{\"t\":1,\"stderr\":\"</script><!--<script>\"}\n";
        let (page, written) = written(text).unwrap();
        assert_eq!(
            page.matches("</script").count(),
            PAGE.matches("</script").count()
        );
        assert!(page.contains("\\u003c/script>\\u003c!--"));
        assert!(page.contains("data-name=\"a&quot;&lt;b.jsonl\""));
        assert_eq!(
            written,
            Written {
                events: 1,
                torn: None
            }
        );
    }

    #[test]
    fn torn_last_line_is_reported() {
        let (_, written) = written("{\"inhouse_recording\":1}\n{\"t\":1,\"st").unwrap();
        assert_eq!(
            written,
            Written {
                events: 0,
                torn: Some(2)
            }
        );
    }

    #[test]
    fn header_alone_has_no_events() {
        for text in ["{\"inhouse_recording\":1}", "{\"inhouse_recording\":1}\n"] {
            assert_eq!(written(text).unwrap().1.events, 0);
        }
    }

    #[test]
    fn other_files_are_errors() {
        for text in ["", "hello\n", "{\"t\":1}\n"] {
            let error = written(text).unwrap_err().to_string();
            assert!(error.contains("is not a recording"), "{error}");
        }
    }
}
