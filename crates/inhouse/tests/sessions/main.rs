//! Sessions on disk, in temporary directories, and in stores.

mod archive;
mod changes;
mod fork;
mod info;
mod list;
mod messages;
mod paging;
mod projects;
mod stored;
mod subagents;
mod support;
mod transfer;
