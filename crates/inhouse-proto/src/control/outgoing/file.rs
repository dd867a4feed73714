use serde_json::Value;

use super::declare::control_request;
use crate::control::Empty;
use crate::open::{open_enum, open_struct};

control_request! {
    /// Tells the CLI that the model knows a file, so that it may edit it without reading it again.
    pub struct SeedReadState("seed_read_state") -> Empty
    requires {
        /// The file.
        path: String = impl Into<String>,
        /// When the file that the model knows was changed, in whole milliseconds since 1970.
        mtime: u64,
    }
}

control_request! {
    /// Reads a file with the CLI's eyes and permissions.
    pub struct ReadFile("read_file") -> ReadFileReply
    requires {
        /// The file.
        path: String = impl Into<String>,
    }
    accepts {
        /// The most to read.
        max_bytes: u64,
        /// How the contents are written into the reply.
        encoding: FileEncoding,
    }
}

open_enum! {
    /// How the contents of a file are written as text.
    pub enum FileEncoding {
        /// As text.
        Utf8 = "utf-8",
        /// As base64, for files that are not text.
        Base64 = "base64",
    }
}

open_struct! {
    /// The contents of a file.
    pub struct ReadFileReply {
        /// The contents.
        pub contents: String,
        /// Where the file is.
        pub abs_path as "absPath": String,
        /// Whether there is more.
        pub truncated: Option<bool>,
        /// How the contents are written.
        pub encoding: Option<FileEncoding>,
        /// Whether bytes that are not text were replaced.
        pub lossy: Option<bool>,
        /// The path as it was asked for.
        pub requested_path: Option<String>,
    }
}

control_request! {
    /// Asks which files a person may mean by what they have typed.
    pub struct FileSuggestions("file_suggestions") -> FileSuggestionsReply
    requires {
        /// What has been typed.
        query: String = impl Into<String>,
    }
}

open_struct! {
    /// The reply to [`FileSuggestions`].
    pub struct FileSuggestionsReply {
        /// The files, best first.
        pub suggestions: Vec<Value>,
        /// The directory that they are relative to; absent from old CLIs.
        pub cwd: Option<String>,
    }
}
