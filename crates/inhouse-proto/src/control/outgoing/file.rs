use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use crate::control::Empty;

/// Request to mark a file as already read, so that the model may edit it without reading it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeedReadState {
    /// Path of the file.
    pub path: String,
    /// Modification time of the version that the model has read, in whole milliseconds since the Unix epoch.
    pub mtime: u64,
}

impl SeedReadState {
    /// Creates a request for the file at `path`, with its modification time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn new(path: impl Into<String>, mtime: u64) -> Self {
        Self {
            path: path.into(),
            mtime,
        }
    }
}

impl ControlRequest for SeedReadState {
    const SUBTYPE: &'static str = "seed_read_state";
    type Reply = Empty;
}

/// Request to read a file through the CLI, under the CLI's permissions.
///
/// The CLI replies with an error if the file is missing or if reading it is denied.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReadFile {
    /// Path of the file.
    pub path: String,
    /// Maximum number of bytes to read. `None` leaves the limit to the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Encoding of the contents in the reply. `None` uses the default of the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<FileEncoding>,
}

impl ReadFile {
    /// Creates a request for the file at `path`, without optional members.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            max_bytes: None,
            encoding: None,
        }
    }

    /// Sets the maximum number of bytes to read.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// Sets the encoding of the contents in the reply.
    #[must_use]
    pub fn encoding(mut self, encoding: FileEncoding) -> Self {
        self.encoding = Some(encoding);
        self
    }
}

impl ControlRequest for ReadFile {
    const SUBTYPE: &'static str = "read_file";
    type Reply = ReadFileReply;
}

/// Encoding of the contents of a file in a JSON string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum FileEncoding {
    /// The contents are the text of the file.
    #[serde(rename = "utf-8")]
    Utf8,
    /// The contents are encoded as base64, for files that are not text.
    #[serde(rename = "base64")]
    Base64,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The reply to [`ReadFile`]: the contents of the file.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReadFileReply {
    /// The contents, in the encoding that `encoding` names.
    pub contents: String,
    /// Absolute path of the file.
    #[serde(rename = "absPath")]
    pub abs_path: String,
    /// Whether the file is longer than the contents.
    pub truncated: Option<bool>,
    /// Encoding of the contents in this reply.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that are not valid text were replaced.
    pub lossy: Option<bool>,
    /// The path as the request named it.
    pub requested_path: Option<String>,
}

/// Request for the files that match what a user has typed, for completion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileSuggestions {
    /// Text that the user has typed.
    pub query: String,
}

impl FileSuggestions {
    /// Creates a request for files that match `query`.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
        }
    }
}

impl ControlRequest for FileSuggestions {
    const SUBTYPE: &'static str = "file_suggestions";
    type Reply = FileSuggestionsReply;
}

/// The reply to [`FileSuggestions`]: the matching files.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FileSuggestionsReply {
    /// The matching files as the CLI sends them, best match first.
    pub suggestions: Vec<Value>,
    /// The directory that the files are relative to; `None` with old CLIs.
    pub cwd: Option<String>,
}
