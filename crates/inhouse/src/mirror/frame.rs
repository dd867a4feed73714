use std::borrow::Cow;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use inhouse_store::{SessionKey, StreamKey};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The entries of a `transcript_mirror` frame.
#[derive(Debug, PartialEq)]
pub(super) struct Entries {
    pub(super) stream: StreamKey,
    /// The directory with the files of the session, next to its main transcript.
    pub(super) directory: PathBuf,
    /// The entries as the CLI wrote them, byte for byte.
    pub(super) entries: Vec<Bytes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MirrorFrame<'a> {
    #[serde(borrow)]
    file_path: Cow<'a, str>,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

impl Entries {
    /// Reads a frame; `None` if its file is not a transcript of a project.
    ///
    /// # Errors
    /// If the frame does not have the expected form. Without its entries the stored transcript would have a hole.
    pub(super) fn read(line: &str) -> serde_json::Result<Option<Self>> {
        let frame: MirrorFrame<'_> = serde_json::from_str(line)?;
        let Some((stream, directory)) = stream_of(&frame.file_path) else {
            tracing::warn!(
                path = &*frame.file_path,
                "mirrored file is not a transcript"
            );
            return Ok(None);
        };
        let entries = frame.entries.iter();
        Ok(Some(Self {
            stream,
            directory,
            entries: entries
                .map(|entry| Bytes::copy_from_slice(entry.get().as_bytes()))
                .collect(),
        }))
    }
}

/// Returns the stream that a transcript belongs to, and the directory of its session; `None` for any other file.
///
/// A main transcript is `<config>/projects/<project>/<session>.jsonl`; all others are below
/// `<config>/projects/<project>/<session>/`. The last directory `projects` counts, because the path of the configuration may
/// contain that name, too. So the CLI need not run on this machine.
fn stream_of(path: &str) -> Option<(StreamKey, PathBuf)> {
    let path = path.replace('\\', "/");
    let (config, relative) = path.rsplit_once("/projects/")?;
    let mut parts = relative.strip_suffix(".jsonl")?.splitn(3, '/');
    let (project, session) = (parts.next()?, parts.next()?);
    let key = SessionKey::new(project, session).ok()?;
    let stream = match parts.next() {
        Some(subpath) => key.stream(subpath).ok()?,
        None => key.main(),
    };
    let directory = Path::new(config)
        .join("projects")
        .join(project)
        .join(session);
    Some((stream, directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SessionKey {
        SessionKey::new("-srv-agent", "s1").unwrap()
    }

    #[test]
    fn entries_are_kept_byte_for_byte() {
        let line = r#"{"type":"transcript_mirror","filePath":"/c/projects/-srv-agent/s1.jsonl","entries":[{"b": 1,"a":1.0},{"t":"\u0000\ud800"}]}"#;
        let entries = Entries::read(line).unwrap().unwrap();
        assert_eq!(entries.stream, key().main());
        assert_eq!(entries.directory, Path::new("/c/projects/-srv-agent/s1"));
        assert_eq!(
            entries.entries,
            [r#"{"b": 1,"a":1.0}"#, r#"{"t":"\u0000\ud800"}"#]
        );
    }

    #[test]
    fn stream_is_found_below_the_last_directory_projects() {
        let cases = [
            ("/srv/projects/x/.claude/projects/-srv-agent/s1.jsonl", None),
            (r"C:\u\projects\-srv-agent\s1.jsonl", None),
            (
                "/c/projects/-srv-agent/s1/subagents/agent-7.jsonl",
                Some("subagents/agent-7"),
            ),
        ];
        for (path, subpath) in cases {
            let (stream, _) = stream_of(path).unwrap();
            assert_eq!(stream.session(), &key(), "{path}");
            assert_eq!(stream.subpath(), subpath, "{path}");
        }
    }

    #[test]
    fn paths_outside_of_a_project_have_no_stream() {
        for path in [
            "/c/s1.jsonl",
            "/c/projects/s1.jsonl",
            "/c/projects/p/s1.txt",
            "/c/projects/p/../s1.jsonl",
            "/c/projects/p/s1/../../x.jsonl",
        ] {
            assert!(stream_of(path).is_none(), "{path}");
        }
    }
}
