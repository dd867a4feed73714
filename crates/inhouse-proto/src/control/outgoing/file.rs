use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use crate::control::Empty;

/// Tells the CLI that the model knows a file, so that it may edit it without reading it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// When the file that the model knows was changed, in whole milliseconds since 1970.
    pub mtime: u64,
}

impl SeedReadState {
    /// Creates the request.
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

/// Reads a file with the CLI's eyes and permissions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReadFile {
    /// The file.
    pub path: String,
    /// The most to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// How the contents are written into the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<FileEncoding>,
}

impl ReadFile {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            max_bytes: None,
            encoding: None,
        }
    }

    /// The most to read.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// How the contents are written into the reply.
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

/// How the contents of a file are written as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum FileEncoding {
    /// As text.
    #[serde(rename = "utf-8")]
    Utf8,
    /// As base64, for files that are not text.
    #[serde(rename = "base64")]
    Base64,
    /// A value that this version does not know.
    Unknown(String),
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReadFileReply {
    /// The contents.
    pub contents: String,
    /// Where the file is.
    #[serde(rename = "absPath")]
    pub abs_path: String,
    /// Whether there is more.
    pub truncated: Option<bool>,
    /// How the contents are written.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that are not text were replaced.
    pub lossy: Option<bool>,
    /// The path as it was asked for.
    pub requested_path: Option<String>,
}

/// Asks which files a person may mean by what they have typed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileSuggestions {
    /// What has been typed.
    pub query: String,
}

impl FileSuggestions {
    /// Creates the request.
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

/// The reply to [`FileSuggestions`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FileSuggestionsReply {
    /// The files, best first.
    pub suggestions: Vec<Value>,
    /// The directory that they are relative to; absent from old CLIs.
    pub cwd: Option<String>,
}
