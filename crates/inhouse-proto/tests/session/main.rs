//! Conversations and forks, computed from the entries of transcripts.

mod compaction;
mod conversation;
mod fork;
mod parallel_calls;
mod support;
