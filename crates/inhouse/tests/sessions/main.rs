//! Sessions on disk, in temporary directories.

mod archive;
mod changes;
mod fork;
mod info;
mod list;
mod messages;
mod paging;
mod projects;
mod subagents;
mod support;
mod transfer;
