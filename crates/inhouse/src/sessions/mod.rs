//! Sessions on disk or in a store: list, read, rename, tag, archive, fork, delete, export and import them.
//!
//! The CLI keeps every session as a *transcript* below its configuration directory, unless
//! [`Options::persist_session`](crate::Options::persist_session) is `false`. The functions of this module work on these
//! files. They start no CLI, and need no account.
//!
//! ```
//! use inhouse::sessions::Sessions;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> inhouse::Result<()> {
//! # let config = tempfile::tempdir().unwrap();
//! # let project = config.path().join("projects/-app");
//! # std::fs::create_dir_all(&project).unwrap();
//! # let line = r#"{"type":"user","uuid":"u1","message":{"content":"Hello"}}"#;
//! # std::fs::write(project.join("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11.jsonl"), line).unwrap();
//! let sessions = Sessions::new();
//! # let sessions = sessions.config_dir(config.path());
//! for session in sessions.list().limit(50).await? {
//!     sessions.rename(&session.id, "Greetings").await?;
//!     let messages = sessions.messages(&session.id).await?;
//!     assert_eq!(messages[0].text(), "Hello");
//!     assert_eq!(sessions.info(&session.id).await?.summary, "Greetings");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The functions of this module are those of [`Sessions::new`]: all projects in the CLI's usual configuration directory.
//! Use [`Sessions`] for another directory, for a single project, or for a store.
//!
//! # Sessions of a store
//!
//! With [`Sessions::store`], a handle works on the sessions of a [store](crate::Options::store) in the place of the disk, and
//! [`Sessions::copy_to`] copies a session from one to the other. [`recover`], [`recent_results`], [`erase`], [`erase_idle`] and
//! [`SessionLease`] are for stores only.
//!
//! # Cost
//!
//! [`list`](Sessions::list) and [`info`](Sessions::info) read at most the first and the last 64 KiB of a transcript.
//! [`messages`](Sessions::messages) reads a transcript once to find the order of the messages, which takes about 60
//! bytes of memory for each entry, and then only the messages. Files are read on the threads that tokio keeps for
//! blocking work, at most four at a time. A list of a store needs no entries of a session that has a summary there.
//!
//! # Sessions in use
//!
//! All functions may be used while a CLI runs a session on disk. Titles and tags are appended to the transcript in one write,
//! and the CLI adopts them. A fork copies what is in the transcript at that time. If a session is deleted, files that
//! the CLI writes afterwards remain. A session of a store that a host runs can be read and forked, and not changed.
//!
//! The format of transcripts is internal to the CLI and not a contract. These functions were checked against CLI
//! 2.1.325 and 2.1.197. Entries and members that they do not know are kept byte for byte.

mod archive;
mod batches;
mod blocking;
mod changes;
mod erase;
mod export;
mod files;
mod fork;
mod handle;
mod import;
mod info;
mod list;
mod location;
mod messages;
mod recover;
mod results;
mod stored;
mod subagents;
mod transcript;
mod worktrees;

pub use inhouse_proto::session::{
    InvalidSessionId, SessionId, SessionMessage, SessionMessageKind, SubagentMetadata, project_key,
};

pub use self::erase::{erase, erase_idle};
pub use self::export::{Export, SessionEntry};
pub use self::fork::Fork;
pub use self::handle::Sessions;
pub use self::import::Import;
pub use self::info::SessionInfo;
pub use self::list::List;
pub(crate) use self::location::{PROJECT_DIR_NAME, is_directory_name};
pub use self::messages::{MessageReader, Messages};
pub use self::recover::recover;
pub use self::results::{StoredResult, recent_results};
pub use self::subagents::Subagent;
use crate::error::Result;
pub use crate::resume::SessionLease;

/// Lists the sessions of all projects; see [`Sessions::list`].
///
/// ```no_run
/// # async fn example() -> inhouse::Result<()> {
/// for session in inhouse::sessions::list().limit(50).await? {
///     println!("{} {}", session.id, session.summary);
/// }
/// # Ok(()) }
/// ```
pub fn list() -> List {
    Sessions::new().list()
}

/// Returns information about a session; see [`Sessions::info`].
///
/// # Errors
/// Fails as [`Sessions::info`] does.
pub async fn info(id: &str) -> Result<SessionInfo> {
    Sessions::new().info(id).await
}

/// Reads the messages of a session; see [`Sessions::messages`].
pub fn messages(id: &str) -> Messages {
    Sessions::new().messages(id)
}

/// Lists the subagents of a session; see [`Sessions::subagents`].
///
/// # Errors
/// Fails as [`Sessions::subagents`] does.
pub async fn subagents(id: &str) -> Result<Vec<Subagent>> {
    Sessions::new().subagents(id).await
}

/// Reads the messages of a subagent; see [`Sessions::subagent_messages`].
pub fn subagent_messages(id: &str, agent: &str) -> Messages {
    Sessions::new().subagent_messages(id, agent)
}

/// Gives a session a title; see [`Sessions::rename`].
///
/// # Errors
/// Fails as [`Sessions::rename`] does.
pub async fn rename(id: &str, title: &str) -> Result<()> {
    Sessions::new().rename(id, title).await
}

/// Tags a session; see [`Sessions::tag`].
///
/// # Errors
/// Fails as [`Sessions::tag`] does.
pub async fn tag(id: &str, tag: &str) -> Result<()> {
    Sessions::new().tag(id, tag).await
}

/// Removes the tag of a session; see [`Sessions::untag`].
///
/// # Errors
/// Fails as [`Sessions::untag`] does.
pub async fn untag(id: &str) -> Result<()> {
    Sessions::new().untag(id).await
}

/// Archives a session; see [`Sessions::archive`].
///
/// # Errors
/// Fails as [`Sessions::archive`] does.
pub async fn archive(id: &str) -> Result<()> {
    Sessions::new().archive(id).await
}

/// Takes a session out of the archive; see [`Sessions::unarchive`].
///
/// # Errors
/// Fails as [`Sessions::unarchive`] does.
pub async fn unarchive(id: &str) -> Result<()> {
    Sessions::new().unarchive(id).await
}

/// Deletes a session; see [`Sessions::delete`].
///
/// # Errors
/// Fails as [`Sessions::delete`] does.
pub async fn delete(id: &str) -> Result<()> {
    Sessions::new().delete(id).await
}

/// Copies a session to a new one; see [`Sessions::fork`].
pub fn fork(id: &str) -> Fork {
    Sessions::new().fork(id)
}

/// Reads all entries of a session; see [`Sessions::export`].
pub fn export(id: &str) -> Export {
    Sessions::new().export(id)
}
