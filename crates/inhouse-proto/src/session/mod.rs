//! Sessions on disk: the entries of a transcript, and everything that can be computed from them without reading a file.
//!
//! The CLI keeps a session as a *transcript*: a file `<session id>.jsonl` with one JSON object, an *entry*, per line. It
//! lies in the directory of the project, whose name is the [`project_key`] of the working directory. The format is
//! internal to the CLI, so this module reads as few members as possible, and copies all others byte for byte.
//!
//! | part | content |
//! |---|---|
//! | [`Entry`] | the members of an entry that this module reads |
//! | [`Summary`] | title, first prompt, tag and times of a session, from the head and the tail of its transcript |
//! | [`TranscriptEnds`] | the head and the tail, kept while entries are added |
//! | [`Conversation`] | the order of the messages: compaction, abandoned branches, parallel tool calls |
//! | [`ForkScan`], [`Fork`] | a copy of a session with new ids |
//! | [`TranscriptRepair`] | entries for what was not recorded when the CLI was killed |
//! | [`title_entry`], [`tag_entry`] | entries that rename and tag a session |
//!
//! The entries that the comments mention were observed with CLI 2.1.325.

mod append;
mod conversation;
mod ends;
mod entry;
mod first_prompt;
mod fork;
mod id;
mod message;
mod parallel_calls;
mod project_key;
mod repair;
mod rewrite;
mod streamed;
mod subagent;
mod subpath;
mod summary;
mod tag;

pub use self::append::{tag_entry, title_entry};
pub use self::conversation::{Conversation, ConversationKind, LineSpan};
pub use self::ends::TranscriptEnds;
pub use self::entry::{Entry, EntryId};
pub use self::fork::{Fork, ForkError, ForkScan};
pub use self::id::{InvalidSessionId, SessionId};
pub use self::message::{SessionMessage, SessionMessageKind};
pub use self::project_key::{project_key, project_key_prefix};
pub use self::repair::TranscriptRepair;
pub use self::streamed::StreamedMessage;
pub use self::subagent::{SubagentMetadata, is_agent_id, metadata_content, metadata_entry};
pub use self::subpath::is_safe_subpath;
pub use self::summary::Summary;
pub use self::tag::sanitize_tag;
