use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use inhouse_store::{ProjectKey, StreamKey};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::resume::results_of;

/// The entries of a `transcript_mirror` frame.
#[derive(Debug, PartialEq)]
pub(super) struct Entries {
    pub(super) stream: StreamKey,
    /// The directory with the files of the session, next to its main transcript.
    pub(super) directory: PathBuf,
    /// The entries as the CLI wrote them, byte for byte.
    pub(super) entries: Vec<Bytes>,
}

/// Where the transcripts of a CLI belong: in the store, and on this machine.
///
/// A frame names only the session and the transcript within it. A command that the CLI runs can write a frame, too, and must
/// reach neither another project of the store nor another directory of this machine.
#[derive(Clone, Debug)]
pub(super) struct TranscriptHome {
    pub(super) project: ProjectKey,
    /// The configuration directory of the CLI.
    pub(super) config: PathBuf,
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
    /// If the frame does not have the expected form, or its transcript has a name that cannot be stored. Without its entries the
    /// stored transcript would have a hole.
    pub(super) fn read(line: &str, home: &TranscriptHome) -> io::Result<Option<Self>> {
        let frame: MirrorFrame<'_> = serde_json::from_str(line)?;
        let Some((stream, directory)) = stream_of(&frame.file_path, home)? else {
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
fn stream_of(path: &str, home: &TranscriptHome) -> io::Result<Option<(StreamKey, PathBuf)>> {
    let path = path.replace('\\', "/");
    let transcript = path.rsplit_once("/projects/");
    let Some(transcript) = transcript.and_then(|(_, name)| name.strip_suffix(".jsonl")) else {
        return Ok(None);
    };
    let mut parts = transcript.splitn(3, '/');
    let (Some(project), Some(session)) = (parts.next(), parts.next()) else {
        return Ok(None);
    };
    // A session that works in another directory, as in a worktree, is still one of this project.
    let directory = ProjectKey::new(project).map_err(io::Error::other)?;
    let key = home.project.session(session).map_err(io::Error::other)?;
    let stream = match parts.next() {
        Some(subpath) => key.stream(subpath).map_err(io::Error::other)?,
        None => key.main(),
    };
    if stream == results_of(&key) {
        let text = "the CLI reported a transcript by the name of the stream of results";
        return Err(io::Error::other(text));
    }
    let directory = home.config.join("projects").join(directory.as_str());
    Ok(Some((stream, directory.join(session))))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inhouse_store::SessionKey;

    use super::*;

    fn home() -> TranscriptHome {
        TranscriptHome {
            project: ProjectKey::new("-srv-agent").unwrap(),
            config: PathBuf::from("/sessions/s1"),
        }
    }

    fn key() -> SessionKey {
        SessionKey::new("-srv-agent", "s1").unwrap()
    }

    #[test]
    fn entries_are_kept_byte_for_byte() {
        let line = r#"{"type":"transcript_mirror","filePath":"/c/projects/-srv-agent/s1.jsonl","entries":[{"b": 1,"a":1.0},{"t":"\u0000\ud800"}]}"#;
        let entries = Entries::read(line, &home()).unwrap().unwrap();
        assert_eq!(entries.stream, key().main());
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
            let (stream, _) = stream_of(path, &home()).unwrap().unwrap();
            assert_eq!(stream.session(), &key(), "{path}");
            assert_eq!(stream.subpath(), subpath, "{path}");
        }
    }

    #[test]
    fn project_and_configuration_directory_are_not_those_of_the_frame() {
        let path = "/home/me/.claude/projects/-home-me/s1.jsonl";
        let (stream, directory) = stream_of(path, &home()).unwrap().unwrap();
        assert_eq!(stream, key().main());
        assert_eq!(directory, Path::new("/sessions/s1/projects/-home-me/s1"));
    }

    #[test]
    fn paths_outside_of_a_project_have_no_stream() {
        for path in [
            "/c/s1.jsonl",
            "/c/projects/s1.jsonl",
            "/c/projects/p/s1.txt",
        ] {
            assert!(stream_of(path, &home()).unwrap().is_none(), "{path}");
        }
    }

    #[test]
    fn names_that_cannot_be_stored_are_refused() {
        for path in [
            "/c/projects/../s1.jsonl",
            "/c/projects/p/../s1.jsonl",
            "/c/projects/p/s1/../../x.jsonl",
            "/c/projects/p/s1/results.jsonl",
        ] {
            assert!(stream_of(path, &home()).is_err(), "{path}");
        }
    }
}
