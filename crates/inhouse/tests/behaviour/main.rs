//! Sessions in memory, on a paused clock: one file for each behaviour.

mod attachments;
mod before_result;
mod closing;
mod closing_with_queue;
mod connecting;
mod control;
mod dropping;
mod encrypted;
mod erasing;
#[cfg(unix)]
mod errors;
mod exits;
mod failed_turns;
mod foreign_sessions;
mod handlers_at_shutdown;
mod held_stdout;
mod interrupted_calls;
mod journal;
mod leases;
mod lines;
mod lone_surrogates;
mod many_reads;
mod mirror;
mod mirror_failures;
mod prompt_stream;
mod prompts_in_queue;
mod query;
mod reading;
#[path = "../common/recorder.rs"]
mod recorder;
mod recording;
mod requests;
mod resume;
mod resumed_prompts;
mod run_end;
mod runtime_shutdown;
mod shutdown_steps;
mod spans;
mod steering;
mod support;
mod telemetry;
mod turns;
mod turns_abandoned;
mod unknown_messages;
mod unwritten_prompts;
mod writing;
